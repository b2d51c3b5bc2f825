module inner (input x, output y, output never);
  assign y = ~x;
endmodule
module top (input clk, output y, output [1:0] z);
  wire floating;
  wire unused;
  assign y = floating & missspelt;
  inner u1 (.y(z[0]));
endmodule
