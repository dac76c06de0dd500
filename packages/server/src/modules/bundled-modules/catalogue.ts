import { readFileSync } from 'node:fs'
import type { BundledModule } from '@sluice/contract'
import { parse } from 'yaml'

/** Bundled modules, each with a config file beside this one. Increase the version with every change of the file. */
const described = [
  {
    type: 'container-service',
    name: 'Container service',
    description: 'Releases images to a service of Amazon ECS: rolling, blue/green, in steps or as a canary.',
    version: '1.0.0',
  },
  {
    type: 'function',
    name: 'Function',
    description: 'Releases archives or images to a function of AWS Lambda: at once, in steps or as a canary.',
    version: '1.0.0',
  },
  {
    type: 'static-site',
    name: 'Static site',
    description: 'Releases directories of a bucket behind CloudFront.',
    version: '1.0.0',
  },
] as const

let read: BundledModule[] | undefined

/** Returns the modules that come with Sluice for existing cloud resources, reading them on first use. */
export function bundledModules(): BundledModule[] {
  read ??= described.map((one) => ({ ...one, config: configOf(one.type) }))
  return read
}

function configOf(type: string): Record<string, unknown> {
  return parse(readFileSync(new URL(`./${type}.yaml`, import.meta.url), 'utf8'))
}
