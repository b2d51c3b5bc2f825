module top (input c, input x, output reg p, output reg q);
  always @(posedge c) p <= x;
  always @(negedge c) q <= p;
endmodule
