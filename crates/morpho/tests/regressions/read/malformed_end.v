module top (input a, output y);
  assign y = a;
  /* a comment without an end
endmodule
