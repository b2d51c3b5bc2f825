wire a;
package p;
endpackage
