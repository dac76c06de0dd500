import type { DeploymentType } from '../delivery/deployment.ts'
import type { DeployBlockDescription } from './deploy-blocks/description.ts'
import { ec2Deploy } from './deploy-blocks/ec2.ts'
import { ecsDeploy } from './deploy-blocks/ecs.ts'
import { lambdaDeploy } from './deploy-blocks/lambda.ts'
import { staticDeploy } from './deploy-blocks/static.ts'

export type { AnalysisBlock, NoData } from './deploy-blocks/analysis.ts'
export { Concurrency } from './deploy-blocks/concurrency.ts'
export type { DeployBlockDescription, Rule, RuleFault } from './deploy-blocks/description.ts'
export type { Ec2Deploy } from './deploy-blocks/ec2.ts'
export { EcsDeploy, freeMaps, servicePauseStages } from './deploy-blocks/ecs.ts'
export { type CommandBlock, type FailureAction, failureActions } from './deploy-blocks/ecs-command.ts'
export {
  type FunctionPauseStage,
  functionBakeMinutes,
  functionPauseStages,
  type LambdaDeploy,
} from './deploy-blocks/lambda.ts'
export type { StaticDeploy } from './deploy-blocks/static.ts'

/** Descriptions of the `deploy` block, by deployment type. */
export const deployBlocks: { readonly [type in DeploymentType]: DeployBlockDescription } = {
  'cloud:ecs': ecsDeploy,
  'cloud:ec2': ec2Deploy,
  'cloud:lambda': lambdaDeploy,
  'cloud:static': staticDeploy,
}
