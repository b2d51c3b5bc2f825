module top (input a, input b, output y, output z, output w);
  assign y = (a & b;
  assign y = {a, b;
  assign y = a ? b;
  assign = a;
  assign y a;
  assign y = a &;
  wire [3:0 bad;
  wire [3:0] a;
  wire wire;
  and (y, a, b
  and ();
  sub u1 (.a(a), .b b);
  always @(posedge a) begin
    w <= ;
    if a w <= b;
    else w <= a;
  end
  assign z = 4'q0;
  assign z = 3'b012;
  assign z = 0'b0;
  assign z = 'h;
  assign z = 99999999999999999999999999999999999999999;
  assign z = {0{a}};
  ?
endmodule
