module top (input a, output y);
  wire [2000000000:0] wide;
  wire [9223372036854775807:-9223372036854775807] wider;
  assign y = {1000000000{a}};
  assign y = {1000000{{1000000{a}}}};
  assign y = {18446744073709551615{a}};
  assign y = 1000000000'b0;
  assign y = a >> 1000000000000000000000;
  wire [1048575:0] v0;
  wire [1048575:0] v1;
  wire [1048575:0] v2;
  wire [1048575:0] v3;
  wire [1048575:0] v4;
endmodule
