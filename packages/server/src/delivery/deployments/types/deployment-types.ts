import type { DeploymentType } from '@sluice/contract'
import type { TypeDefinition } from './deployment-type.ts'
import { ec2 } from './ec2/deployment-type.ts'
import { ecs } from './ecs/deployment-type.ts'
import { lambda } from './lambda/deployment-type.ts'
import { staticSite } from './static/deployment-type.ts'

/** Deployment types by name. */
const types: Record<DeploymentType, TypeDefinition> = {
  'cloud:ecs': ecs,
  'cloud:ec2': ec2,
  'cloud:lambda': lambda,
  'cloud:static': staticSite,
}

/** Display names of the deployment types. */
export const typeNames = Object.keys(types)

/** Returns the deployment type with a name, which may be any text of a module's author. */
export const findType = (type: string): TypeDefinition | undefined =>
  typeNames.includes(type) ? types[type as DeploymentType] : undefined

/** Returns the type of a deployment. */
export const typeOf = ({ release }: { release: { type: DeploymentType } }): TypeDefinition => types[release.type]
