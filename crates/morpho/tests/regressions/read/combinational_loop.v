module top (input set, input reset, output q, output a);
  wire other = ~(set | q);
  assign q = ~(reset | other);
  wire b = a;
  assign a = b;
endmodule
