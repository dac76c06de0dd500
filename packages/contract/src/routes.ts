import { authRoutes } from './routes/auth.ts'
import { cloudAccountRoutes } from './routes/cloud-accounts.ts'
import { deploymentRoutes } from './routes/deployments.ts'
import { healthRoutes } from './routes/health.ts'
import { moduleDefinitionRoutes } from './routes/module-definitions.ts'
import { moduleInstanceRoutes } from './routes/module-instances.ts'
import type { RouteTable } from './routes/route.ts'

/** Every operation of the interface. Server, client, console and reference all read this one table. */
export const routes = {
  ...authRoutes,
  ...cloudAccountRoutes,
  ...deploymentRoutes,
  ...healthRoutes,
  ...moduleDefinitionRoutes,
  ...moduleInstanceRoutes,
} as const satisfies RouteTable
