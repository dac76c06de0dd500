import type { ValueOption } from '@sluice/contract'
import { compare, rcompare } from 'semver'
import instanceTypes from './data/instance-types.json' with { type: 'json' }
import regionTable from './data/regions.json' with { type: 'json' }
import taskSizeTable from './data/task-sizes.json' with { type: 'json' }
import toolVersions from './data/tool-versions.json' with { type: 'json' }

/** Bundled option tables. Each names its source and the date it was read. */

export const regions: ValueOption[] = regionTable.items.map(({ code, name }) => ({
  value: code,
  label: `${name}, ${code}`,
}))

/** Returns the version series of a tool as options, installed ones first. A series stands for its latest patch. */
export function versionsOf(tool: 'iac' | 'iac_alt', there: readonly string[]): ValueOption[] {
  const installed = [...new Set(there.map(seriesOf))].toSorted(newestFirst)
  const others = toolVersions[tool].filter((series) => !installed.includes(series))
  return [
    ...installed.map((series) => ({ ...optionOf(series), description: `Runners have ${newestOf(series, there)}.` })),
    ...others.map(optionOf),
  ]
}

const optionOf = (series: string): ValueOption => ({ value: `~${series}`, label: series })
const seriesOf = (version: string): string => version.split('.').slice(0, 2).join('.')
const newestFirst = (a: string, b: string): number => compare(`${b}.0`, `${a}.0`)
const newestOf = (series: string, there: readonly string[]): string =>
  there.filter((version) => seriesOf(version) === series).toSorted(rcompare)[0] ?? series

const pricedRegion = 'us-east-1'

/** Returns instance types as options. Prices apply to one region, which the description names. */
export function instanceTypesFor({ costUnit = 'hour' }: { costUnit?: 'hour' | 'minute' }): ValueOption[] {
  return instanceTypes.items.map(({ type, architecture, vcpu, memoryGib, usdPerHour }) => {
    const cost = rounded(costUnit === 'hour' ? usdPerHour : usdPerHour / 60)
    return {
      value: type,
      label: `${type}: ${vcpu} vCPU, ${memoryGib} GiB, $${cost} per ${costUnit}`,
      description: `The price is that of ${pricedRegion}, on demand, Linux.`,
      fields: { architecture, vcpu, memory_gib: memoryGib, cost, cost_unit: costUnit, cost_region: pricedRegion },
    }
  })
}

/** Rounds to a millionth of a dollar. */
const rounded = (amount: number): number => Number(amount.toFixed(6))

export function taskSizesFor({ operatingSystem = 'LINUX' }: { operatingSystem?: string }): ValueOption[] {
  const system = operatingSystem.toUpperCase().startsWith('WINDOWS') ? 'WINDOWS' : 'LINUX'
  return taskSizeTable.items
    .filter(({ systems }) => systems.includes(system))
    .flatMap(({ vcpu, memoryGb }) => memoryGb.map((memory) => taskSize(vcpu, memory)))
}

const taskSize = (vcpu: number, memory: number): ValueOption => ({
  value: `${vcpu}x${memory}`,
  label: `${vcpu} vCPU, ${memory} GB`,
  fields: { vcpu, memory_gb: memory },
})
