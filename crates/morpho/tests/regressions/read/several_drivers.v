module inner (input x, output y);
  assign y = ~x;
endmodule
module top (input clk, input a, input b, output y, output [1:0] z);
  assign y = a;
  assign y = b;
  inner u1 (.x(a), .y(z[0]));
  and (z[0], a, b);
  reg r;
  always @(posedge clk) r <= a;
  always @(posedge clk) r <= b;
  assign z[1] = r;
  assign a = b;
  inner u2 (.x(a), .y(1'b0));
endmodule
