// What a state is made of comes with it.
@_exported public import StoreBytes
@_exported public import StoreCollections
@_exported public import StoreValues
