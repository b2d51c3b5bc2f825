module inner (input [1:0] x, output y);
  assign y = ^x;
endmodule
module top (input clk, input a, input b, output y, output z);
  inner u1 (.x({a, b}), .z(y));
  inner u2 ({a, b}, y, clk);
  inner u3 (.x({a, b}), .x({b, a}), .y(z));
  inner #(.WIDTH(2)) u4 (.x({a, b}), .y(z));
  inner #(2) u5 (.x({a, b}), .y(z));
  inner u6 (.*);
  inner u7[1:0] (.x({a, b}), .y(z));
  unknown u8 (.a(a), .b(b));
  \$_DFF_PN0_ f1 (.C(clk), .R(a), .D(b), .Q(z));
  \$_DLATCH_P_ f2 (.E(clk), .D(b), .Q(z));
  \$add f3 (.A(a), .B(b), .Y(z));
  \$_AND_ f4 (.A(a), .C(b), .Y(z));
  \$_DFF_P_ f5 (.D(b), .Q(z));
  SB_LUT4 #(.LUT_INIT(16'h8000)) f6 (.I0(a), .O({y, z}));
  SB_DFFR f7 (.C(clk), .R(a), .D(b), .Q(z));
  SB_RAM40_4K f8 (.RCLK(clk));
endmodule
