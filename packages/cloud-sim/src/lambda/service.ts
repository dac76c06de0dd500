import { readModel } from '../model/model.ts'
import type { Rate } from '../rates.ts'
import type { CloudService } from '../service.ts'
import { restJson } from '../wire/rest.ts'
import { completeMove } from './aliases.ts'
import { completeVersionTransition } from './functions.ts'
import { lambdaOperations } from './operations.ts'
import { lambdaRights } from './rights.ts'
import { lambda } from './state.ts'

/** "Lambda quotas", API requests, read 2026-11: all operations but one share 15 requests a second. */
const rates: Rate[] = [
  { operations: ['GetFunction'], burst: 100, perSecond: 100 },
  { operations: [...lambdaOperations.keys()].filter((name) => name !== 'GetFunction'), burst: 15, perSecond: 15 },
]

export const lambdaService: CloudService = {
  title: 'AWS Lambda',
  differences: [
    'Code never runs. Layers, event source mappings and function URLs are not simulated.',
    'A bucket whose name starts with `artifacts` need not exist: only the name of an archive in it counts.',
  ],
  protocol: restJson(),
  operations: lambdaOperations,
  rights: lambdaRights,
  rates,
  model: readModel('lambda.model.json', import.meta.url),
  unordered: ['ListAliases'],
  open(world) {
    lambda(world).aliases.onWake((alias) => completeMove(world, alias))
    lambda(world).versions.onWake((version) => completeVersionTransition(world, version))
  },
}
