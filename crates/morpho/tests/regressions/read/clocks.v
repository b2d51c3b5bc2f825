module top (input c, input d, input x, output reg p, output reg q, output reg r);
  wire gated = c & x;
  always @(posedge c) p <= x;
  always @(posedge d) q <= x;
  always @(posedge gated) r <= x;
endmodule
