module one (input a, output y);
  assign y = a;
endmodule
module two (input a, output y);
  assign y = a;
