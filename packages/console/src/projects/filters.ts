import type { ServiceState } from '@sluice/contract'
import { stateLabels } from './states.ts'

/** What the services of a project are narrowed to; all of it stands in the address. */
export type Filters = { search?: string; type?: string[]; state?: ServiceState[]; by?: string }

/** What an address says of them; what nobody knows is left out. */
export function filtersIn(address: Record<string, unknown>): Filters {
  const state = textsIn(address.state).filter((one): one is ServiceState => Object.hasOwn(stateLabels, one))
  const type = textsIn(address.type)
  const [search, by] = [address.search, address.by].map((text) => (text === undefined ? '' : String(text)))
  return {
    ...(search && { search }),
    ...(type.length > 0 && { type }),
    ...(state.length > 0 && { state }),
    ...(by && { by }),
  }
}

/** The same as the interface asks for it. */
export const queryOf = ({ by, ...filters }: Filters) => ({ ...filters, ...(by !== undefined && { releasedBy: by }) })

const textsIn = (value: unknown): string[] => [value].flat().filter((one) => typeof one === 'string')
