import { readModel } from '../model/model.ts'
import type { CloudService } from '../service.ts'
import { restJson } from '../wire/rest.ts'
import { settle } from './functions.ts'
import { lambdaOperations, lambdaRoutes } from './operations.ts'
import { lambdaRights } from './rights.ts'
import { lambda } from './state.ts'

export const lambdaService: CloudService = {
  protocol: restJson(lambdaRoutes),
  operations: lambdaOperations,
  rights: lambdaRights,
  model: readModel('lambda.model.json', import.meta.url),
  unordered: ['ListAliases'],
  open(world) {
    lambda(world).versions.onWake((version) => settle(world, version))
  },
}
