module top (input [7:0] a, input [3:0] b, input s, output [7:0] y, output z);
  assign y[0] = a + b;
  assign y[1] = a - b * 2;
  assign y[2] = a < b;
  assign y[3] = a[b];
  assign y[4] = $signed(a);
  assign y[5] = f(a);
  assign y[6] = top.inner;
  assign y[7] = a >> b;
  assign z = -s;
  assign z = a === b;
  assign z = `MACRO;
  assign z = 1.5;
  assign z = "text";
  assign a + b = s;
endmodule
