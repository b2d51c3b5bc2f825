//! The `#[cell]` attribute of the `morpho` hardware language.

use proc_macro::TokenStream;
use quote::{format_ident, quote};
use syn::{
    Error, Expr, FnArg, Ident, ItemFn, Lit, Meta, Pat, Result, ReturnType, Token, Type,
    parse_macro_input, spanned::Spanned,
};

/// Makes a function a cell: its calls are recorded as instances, can be substituted, and fall
/// back where a bus does not fit.
///
/// The function takes `&mut Builder` first, then buses (`&Bus`) and any other `Copy` arguments,
/// and returns `Fits<...>`. `#[cell(fallback = other)]` names the cell that takes over on the same
/// arguments, `#[cell(fallback = 0)]` the bus argument that is passed through. A type named after
/// the function in camel case stands for the cell in `Builder::substitute`.
#[proc_macro_attribute]
pub fn cell(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let function = parse_macro_input!(item as ItemFn);
    let attribute = proc_macro2::TokenStream::from(attribute);
    Fallback::parse(attribute)
        .and_then(|fallback| expand(&function, fallback))
        .unwrap_or_else(Error::into_compile_error)
        .into()
}

/// What a cell does when its body does not fit.
enum Fallback {
    None,
    Cell(Expr),
    Argument(usize),
}

impl Fallback {
    fn parse(attribute: proc_macro2::TokenStream) -> Result<Fallback> {
        if attribute.is_empty() {
            return Ok(Fallback::None);
        }
        match syn::parse2::<Meta>(attribute)? {
            Meta::NameValue(pair) if pair.path.is_ident("fallback") => match pair.value {
                Expr::Lit(expr) => match &expr.lit {
                    Lit::Int(index) => Ok(Fallback::Argument(index.base10_parse()?)),
                    other => Err(Error::new(other.span(), "expected a cell or an argument index")),
                },
                cell => Ok(Fallback::Cell(cell)),
            },
            other => {
                Err(Error::new(other.span(), "expected `fallback = cell` or `fallback = index`"))
            }
        }
    }
}

/// The arguments of a cell after the builder.
struct Arguments {
    names: Vec<Ident>,
    types: Vec<Type>,
    buses: Vec<Ident>,
}

impl Arguments {
    fn parse(function: &ItemFn) -> Result<Arguments> {
        let mut arguments = Arguments { names: vec![], types: vec![], buses: vec![] };
        for input in function.sig.inputs.iter().skip(1) {
            let FnArg::Typed(argument) = input else {
                return Err(Error::new(input.span(), "a cell is a free function"));
            };
            let Pat::Ident(pattern) = &*argument.pat else {
                return Err(Error::new(
                    argument.pat.span(),
                    "an argument of a cell is a plain name",
                ));
            };
            if is_bus_reference(&argument.ty) {
                arguments.buses.push(pattern.ident.clone());
            }
            arguments.names.push(pattern.ident.clone());
            arguments.types.push((*argument.ty).clone());
        }
        Ok(arguments)
    }
}

fn is_bus_reference(ty: &Type) -> bool {
    let Type::Reference(reference) = ty else { return false };
    let Type::Path(path) = &*reference.elem else { return false };
    path.path.segments.last().is_some_and(|segment| segment.ident == "Bus")
}

fn camel_case(name: &Ident) -> Ident {
    let words = name.to_string();
    let camel: String = words
        .split('_')
        .flat_map(|word| {
            let mut letters = word.chars();
            letters
                .next()
                .into_iter()
                .flat_map(char::to_uppercase)
                .chain(letters)
                .collect::<Vec<_>>()
        })
        .collect();
    format_ident!("{camel}", span = name.span())
}

fn expand(function: &ItemFn, fallback: Fallback) -> Result<proc_macro2::TokenStream> {
    let ItemFn { attrs, vis, sig, block, .. } = function;
    let ReturnType::Type(_, output) = &sig.output else {
        return Err(Error::new(sig.span(), "a cell returns `Fits<...>`"));
    };
    let Some(FnArg::Typed(builder)) = sig.inputs.first() else {
        return Err(Error::new(sig.span(), "a cell takes `&mut Builder` first"));
    };
    let (n, builder_type) = (&builder.pat, &builder.ty);
    let Arguments { names, types, buses } = Arguments::parse(function)?;
    let (name, inputs) = (&sig.ident, &sig.inputs);
    let (text, cell_type) = (name.to_string(), camel_case(name));
    let cell_doc = format!("The cell [`{name}`], as a type for substitution.");
    let bare = Token![fn](name.span());

    let fall_back = match fallback {
        Fallback::None => quote!(__body),
        Fallback::Cell(cell) => quote! {
            match __body {
                Err(::morpho::Misfit::DoesNotFit { .. }) => #cell(#n, #(#names),*),
                __result => __result,
            }
        },
        Fallback::Argument(index) => {
            let Some(argument) = buses.get(index) else {
                return Err(Error::new(
                    sig.span(),
                    "the fallback argument is not a bus of the cell",
                ));
            };
            quote! {
                match __body {
                    Err(::morpho::Misfit::DoesNotFit { .. }) => Ok(#argument.clone()),
                    __result => __result,
                }
            }
        }
    };

    Ok(quote! {
        #(#attrs)*
        #vis #sig {
            #[allow(clippy::too_many_arguments)]
            fn __grow(#inputs) -> #output #block
            if let Some(__other) = #n.replacement::<#cell_type>() {
                return #n.replaced::<#cell_type, _>(|__n| __other(__n, #(#names),*));
            }
            let __body = #n.instantiate(
                #text,
                [#(#buses.width()),*],
                |__n| __grow(__n, #(#names),*),
            );
            #fall_back
        }

        #[doc = #cell_doc]
        #vis enum #cell_type {}

        impl ::morpho::Cell for #cell_type {
            type Function = #bare(#builder_type, #(#types),*) -> #output;
            const NAME: &'static str = #text;
            const FUNCTION: Self::Function = #name;
        }
    })
}
