import type { ServiceState } from '@sluice/contract'
import { stateLabels } from './state-labels.ts'

/** Filters of a project's services, held in the address. */
export type Filters = { search?: string; type?: string[]; state?: ServiceState[]; by?: string }

/** Parses the filters in an address and drops unknown values. */
export function parseFilters(address: Record<string, unknown>): Filters {
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

/** Converts the filters to a query of the API. */
export const filtersToQuery = ({ by, ...filters }: Filters) => ({
  ...filters,
  ...(by !== undefined && { releasedBy: by }),
})

const textsIn = (value: unknown): string[] => [value].flat().filter((one) => typeof one === 'string')
