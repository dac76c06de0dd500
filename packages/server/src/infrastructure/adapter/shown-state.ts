import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { deposedAddress } from '../../stacks/iac-states/state-file.ts'

/**
 * Module of a state in the format of `show -json`, which marks sensitive values:
 * https://developer.hashicorp.com/terraform/internals/json-format, read in November 2026.
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

/** Values of a resource with the mask of sensitive values; see `masked`. */
export type ShownResource = { values: unknown; isSensitive: unknown }

/** Returns the resources of a state by address, or none if the input is no state. */
export const readShownState = (shown: unknown): Map<string, ShownResource> =>
  new Map(shownState.Check(shown) ? resourcesIn(shown.values.root_module) : [])

function resourcesIn(module: unknown): [string, ShownResource][] {
  if (!moduleInState.Check(module)) return []
  const { resources = [], child_modules: children = [] } = module
  const own = resources.map(({ address, deposed_key, values, sensitive_values }): [string, ShownResource] => [
    deposedAddress(address, deposed_key),
    // Without a mask, any value may be sensitive, so the resource has no values to fill in.
    sensitive_values == null ? { values: {}, isSensitive: {} } : { values, isSensitive: sensitive_values },
  ])
  return [...own, ...children.flatMap(resourcesIn)]
}
