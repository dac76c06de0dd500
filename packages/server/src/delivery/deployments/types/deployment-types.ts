import type { DeploymentType } from '@sluice/contract'
import type { Kind } from './deployment-type.ts'
import { ec2 } from './ec2/deployment-type.ts'
import { ecs } from './ecs/deployment-type.ts'
import { lambda } from './lambda/deployment-type.ts'
import { staticSite } from './static/deployment-type.ts'

/** The types of deployment that there are. */
const kinds: Record<DeploymentType, Kind> = {
  'cloud:ecs': ecs,
  'cloud:ec2': ec2,
  'cloud:lambda': lambda,
  'cloud:static': staticSite,
}

/** The names of the types, for people. */
export const kindNames = Object.keys(kinds)

/** The type of that name, which may be anything that a module's author wrote. */
export const kindNamed = (type: string): Kind | undefined =>
  kindNames.includes(type) ? kinds[type as DeploymentType] : undefined

/** The type of a deployment. */
export const kindOf = ({ release }: { release: { type: DeploymentType } }): Kind => kinds[release.type]
