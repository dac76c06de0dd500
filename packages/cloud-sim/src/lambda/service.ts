import type { CloudService } from '../service.ts'
import { restJson } from '../wire/rest.ts'
import { settle } from './functions.ts'
import { lambdaOperations, lambdaRoutes } from './operations.ts'
import { lambda } from './state.ts'

export const lambdaService: CloudService = {
  protocol: restJson(lambdaRoutes),
  operations: lambdaOperations,
  open(world) {
    lambda(world).versions.onWake((version) => settle(world, version))
  },
}
