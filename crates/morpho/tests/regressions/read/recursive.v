module top (input a, output y);
  top again (.a(a), .y(y));
endmodule
