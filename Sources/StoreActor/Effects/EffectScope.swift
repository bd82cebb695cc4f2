/// Where code stands that is run by a store: a reducer, or the task of an effect.
///
/// One value, so that a store sets both parts at once; each action begins at the root, also when an
/// effect of some child has sent it.
struct EffectScope: Sendable {
  @TaskLocal static var current = EffectScope(registry: EffectRegistry(), path: nil)

  let registry: EffectRegistry
  let path: NavigationIDPath?
}
