import type { ValueOption } from '@sluice/contract'
import { compare, rcompare } from 'semver'
import instanceTypes from './data/instance-types.json' with { type: 'json' }
import regionTable from './data/regions.json' with { type: 'json' }
import taskSizeTable from './data/task-sizes.json' with { type: 'json' }
import toolVersions from './data/tool-versions.json' with { type: 'json' }

/** The options that come with Sluice. Each table says where it is from and when it was read. */

export const regions: ValueOption[] = regionTable.items.map(({ code, name }) => ({
  value: code,
  label: `${name}, ${code}`,
}))

/** Each series stands for its newest patch. Those that runners have come first. */
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

/** Prices are of one region: elsewhere they differ, and the description says which they are. */
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

/** To a millionth of a dollar. */
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
