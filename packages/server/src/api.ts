import type { Logger } from 'pino'
import { serveApiKeys } from './api-keys/routes.ts'
import { serveAuditEvents } from './audit-events/routes.ts'
import type { Registration } from './auth/register.ts'
import { serveAuth } from './auth/routes.ts'
import { serveChanges } from './changes/routes.ts'
import type { Cloud } from './cloud/access.ts'
import { serveCloudAccounts } from './cloud-accounts/routes.ts'
import { serveCloudMonitor } from './cloud-monitor/routes.ts'
import { serveCodeSources } from './code-sources/routes.ts'
import { serveDefaultValueDefinitions } from './default-value-definitions/routes.ts'
import { serveDefaultValues } from './default-values/routes.ts'
import { serveDeployments } from './deployments/routes.ts'
import { serveEnvironments } from './environments/routes.ts'
import { serveExecutionEnvironments } from './execution-environments/routes.ts'
import type { GitHosts } from './git/hosts.ts'
import { receiveGitDeliveries } from './git-deliveries/routes.ts'
import type { ReturnParts } from './git-states/begin.ts'
import type { GitStates } from './git-states/state.ts'
import { serveGithostaInstallations } from './githosta-installations/routes.ts'
import { serveGithostbConnections } from './githostb-connections/routes.ts'
import type { ConnectionTokens } from './githostb-connections/tokens.ts'
import { serveGithostbInstances } from './githostb-instances/routes.ts'
import { serveHealth } from './health/routes.ts'
import { serveIacPlans } from './iac-plans/routes.ts'
import { serveIacResources } from './iac-resources/routes.ts'
import { serveStateBackend } from './iac-states/backend.ts'
import { serveIacStates } from './iac-states/routes.ts'
import type { StateTokens } from './iac-states/token.ts'
import type { Intake } from './infrastructure-events/intake.ts'
import { receiveInfrastructureEvents, serveInfrastructureEvents } from './infrastructure-events/routes.ts'
import { serveInvitations } from './invitations/routes.ts'
import { serveMemberships } from './memberships/routes.ts'
import { serveModuleDefinitions } from './module-definitions/routes.ts'
import { serveModuleInstances } from './module-instances/routes.ts'
import { serveModuleVersions } from './module-versions/routes.ts'
import { serveOpenApi } from './openapi/routes.ts'
import { serveOrganizations } from './organizations/routes.ts'
import type { WhenOver } from './pipeline-runs/look.ts'
import { servePipelineRuns } from './pipeline-runs/routes.ts'
import { servePipelineStepExecutions } from './pipeline-step-executions/routes.ts'
import { servePipelineVersions } from './pipeline-versions/routes.ts'
import { servePipelines } from './pipelines/routes.ts'
import type { Seal } from './platform/crypto/seal.ts'
import type { Db } from './platform/db/open.ts'
import type { Engine } from './platform/engine/client.ts'
import type { App } from './platform/http/app.ts'
import type { OpenPage } from './platform/http/pagination.ts'
import { serveProjects } from './projects/routes.ts'
import { serveSchemas } from './schemas/routes.ts'
import { serveServiceAccounts } from './service-accounts/routes.ts'
import { serveStacks } from './stacks/routes.ts'
import type { Bell } from './step-logs/bell.ts'
import { serveStepLogs } from './step-logs/routes.ts'
import { serveUsers } from './users/routes.ts'
import { serveValues } from './values/routes.ts'

/** What the operations are made of; each feature takes what it needs. */
export type ApiParts = ReturnParts & {
  /** Sees every organization; a request has its own, which sees one. */
  db: Db
  engine: Engine
  cloud: Cloud
  hosts: GitHosts
  tokens: ConnectionTokens
  states: GitStates
  stateTokens: StateTokens
  seal: Seal
  gitSeal: Seal
  bell: Bell
  intake: Intake
  whenOver: WhenOver
  openPage: OpenPage
  registration: Registration
  connectTemplateUrl: string | undefined
  clock: () => Date
  log: Logger
}

/** Serves every operation that there is. */
export async function serveApi(app: App, parts: ApiParts): Promise<void> {
  await serveOpenApi(app)
  serveSchemas(app)
  serveHealth(app, parts)
  serveAuth(app, parts)
  serveOrganizations(app)
  serveUsers(app, parts)
  serveMemberships(app, parts)
  serveInvitations(app, parts)
  serveServiceAccounts(app, parts)
  serveApiKeys(app, parts)
  serveAuditEvents(app, parts)
  serveChanges(app, parts)
  serveModuleDefinitions(app, parts)
  serveModuleVersions(app, parts)
  serveModuleInstances(app, parts)
  serveCloudMonitor(app, parts)
  servePipelines(app, parts)
  servePipelineVersions(app, parts)
  servePipelineRuns(app, parts)
  servePipelineStepExecutions(app, parts)
  serveStepLogs(app, parts)
  serveStacks(app, parts)
  serveIacPlans(app, parts)
  serveIacResources(app, parts)
  serveIacStates(app, parts)
  serveStateBackend(app, parts)
  serveProjects(app, parts)
  serveEnvironments(app, parts)
  serveCloudAccounts(app, parts)
  serveExecutionEnvironments(app, parts)
  serveCodeSources(app, parts)
  serveGithostaInstallations(app, parts)
  serveGithostbConnections(app, parts)
  serveGithostbInstances(app, parts)
  serveDefaultValueDefinitions(app, parts)
  serveDefaultValues(app, parts)
  serveDeployments(app, parts)
  serveValues(app)
  serveInfrastructureEvents(app, parts)
  receiveInfrastructureEvents(app, parts)
  receiveGitDeliveries(app, parts)
}
