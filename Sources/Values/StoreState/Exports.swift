// Users of this module also need the types of which a state consists.
@_exported public import StoreBytes
@_exported public import StoreCollections
@_exported public import StoreValues
