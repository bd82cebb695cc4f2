// `import StoreDaemon` alone gives a daemon's file the APIs of features and of their exposures.
@_exported public import StoreActor
@_exported public import StoreExposures
@_exported public import StoreHistory
@_exported public import StoreJournal
@_exported public import StoreProtocol
