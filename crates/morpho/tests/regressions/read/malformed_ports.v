module top (a, b, c, c, y);
  input a;
  input c;
  input d;
  output y;
  wire [3:0] v;
  wire [0:3] up;
  wire s;
  assign y = v[4] & v[-1] & s[0] & nothing[0];
  assign y = v[0:3] & up[3:0] & v[9:8];
  wire s;
  wire late;
  wire [7:0] used;
endmodule
