import type { DeploymentType } from '@sluice/contract'
import type { Kind } from './deployment-type.ts'
import { ec2 } from './ec2/deployment-type.ts'
import { ecs } from './ecs/deployment-type.ts'
import { lambda } from './lambda/deployment-type.ts'
import { staticSite } from './static/deployment-type.ts'

/** Deployment types by name. */
const kinds: Record<DeploymentType, Kind> = {
  'cloud:ecs': ecs,
  'cloud:ec2': ec2,
  'cloud:lambda': lambda,
  'cloud:static': staticSite,
}

/** Display names of the deployment types. */
export const kindNames = Object.keys(kinds)

/** Returns the deployment type with a name, which may be any text of a module's author. */
export const kindNamed = (type: string): Kind | undefined =>
  kindNames.includes(type) ? kinds[type as DeploymentType] : undefined

/** Returns the type of a deployment. */
export const kindOf = ({ release }: { release: { type: DeploymentType } }): Kind => kinds[release.type]
