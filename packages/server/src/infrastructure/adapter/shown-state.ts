import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { deposedAddress } from '../../stacks/iac-states/state-file.ts'

/**
 * A module of a state as `show -json` writes it: https://developer.hashicorp.com/terraform/internals/json-format,
 * read in November 2026. It marks what the configuration and the schema of the provider call sensitive.
 */
const moduleInState = Compile(
  Type.Object({
    resources: Type.Optional(
      Type.Array(
        Type.Object({
          address: Type.String(),
          deposed_key: Type.Optional(Type.String()),
          values: Type.Optional(Type.Unknown()),
          sensitive_values: Type.Optional(Type.Unknown()),
        }),
      ),
    ),
    child_modules: Type.Optional(Type.Array(Type.Unknown())),
  }),
)
const shownState = Compile(Type.Object({ values: Type.Object({ root_module: Type.Unknown() }) }))

/** The values of a resource, and the mask of those that are sensitive: see `masked`. */
export type ShownResource = { values: unknown; isSensitive: unknown }

/** Returns the resources of a state by address; none for anything else, such as an empty state. */
export const readShownState = (shown: unknown): Map<string, ShownResource> =>
  new Map(shownState.Check(shown) ? resourcesIn(shown.values.root_module) : [])

function resourcesIn(module: unknown): [string, ShownResource][] {
  if (!moduleInState.Check(module)) return []
  const { resources = [], child_modules: children = [] } = module
  const own = resources.map(({ address, deposed_key, values, sensitive_values }): [string, ShownResource] => [
    deposedAddress(address, deposed_key),
    // Without a mask, any value may be sensitive: the resource has none then, so that an apply fills in nothing.
    sensitive_values == null ? { values: {}, isSensitive: {} } : { values, isSensitive: sensitive_values },
  ])
  return [...own, ...children.flatMap(resourcesIn)]
}
