import type { SendOutbound } from '@sluice/outbound/send'
import type { Logger } from 'pino'
import { openAccountOffers } from './cloud/account-offers/offers.ts'
import { serveAccountOffers } from './cloud/account-offers/routes.ts'
import type { Cloud } from './cloud/adapter/access.ts'
import { serveCertificates } from './cloud/certificates/routes.ts'
import { serveCloudAccounts } from './cloud/cloud-accounts/routes.ts'
import { serveExecutionEnvironments } from './cloud/execution-environments/routes.ts'
import { waitingIn } from './cloud/looks/waiting.ts'
import { serveCloudMonitor } from './delivery/cloud-monitor/routes.ts'
import type { DeploymentReader } from './delivery/deployment-archives/read.ts'
import { serveDeploymentMetrics } from './delivery/deployment-metrics/routes.ts'
import { serveDeploymentResources } from './delivery/deployment-resources/routes.ts'
import type { ReleaseDigests } from './delivery/deployments/approvals/release-digest.ts'
import { serveDeploymentApprovals } from './delivery/deployments/approvals/routes.ts'
import { reconcileQueued } from './delivery/deployments/execution/reconcile.ts'
import { noteService } from './delivery/deployments/external/adopt.ts'
import { pastDeployments } from './delivery/deployments/representation/policy-subjects.ts'
import { serveDeployments } from './delivery/deployments/routes.ts'
import { countQueuedDeployments } from './delivery/deployments/store/store.ts'
import type { Intake } from './delivery/infrastructure-events/intake.ts'
import { receiveInfrastructureEvents, serveInfrastructureEvents } from './delivery/infrastructure-events/routes.ts'
import { serveModuleImports } from './delivery/module-imports/routes.ts'
import { serveModuleInstanceTasks } from './delivery/module-instance-tasks/routes.ts'
import { servePromotionRules } from './delivery/promotions/routes.ts'
import { serveServiceHealth } from './delivery/service-health/routes.ts'
import { serveApprovalDelegations } from './gates/approval-delegations/routes.ts'
import { serveApprovalRules } from './gates/approval-rules/routes.ts'
import { serveFreezes } from './gates/freezes/routes.ts'
import { serveHolds } from './gates/holds/routes.ts'
import { servePolicies } from './gates/policies/routes.ts'
import type { GitHosts } from './git/adapter/hosts.ts'
import { serveCodeSources } from './git/code-sources/routes.ts'
import type { ReturnParts } from './git/git-states/begin.ts'
import type { GitStates } from './git/git-states/state.ts'
import { serveGithostaInstallations } from './git/githosta-installations/routes.ts'
import { serveGithostbConnections } from './git/githostb-connections/routes.ts'
import type { ConnectionTokens } from './git/githostb-connections/tokens.ts'
import { serveGithostbInstances } from './git/githostb-instances/routes.ts'
import { serveRepositories } from './git/repositories/routes.ts'
import { serveApiKeys } from './identity/api-keys/routes.ts'
import type { SignHead } from './identity/audit-events/heads.ts'
import { serveAuditEvents } from './identity/audit-events/routes.ts'
import type { Registration } from './identity/auth/register.ts'
import { serveAuth } from './identity/auth/routes.ts'
import type { OnSignIn } from './identity/auth/sign-in.ts'
import { serveDeviceSignIns } from './identity/device-sign-ins/routes.ts'
import type { KeysOf } from './identity/id-tokens/issuer-keys.ts'
import { serveIdentityProviders } from './identity/identity-providers/routes.ts'
import { serveInvitations } from './identity/invitations/routes.ts'
import { serveLimits } from './identity/limits/routes.ts'
import { serveMemberships } from './identity/memberships/routes.ts'
import { serveOrganizations } from './identity/organizations/routes.ts'
import { serveServiceAccountTrusts } from './identity/service-account-trusts/routes.ts'
import { serveServiceAccounts } from './identity/service-accounts/routes.ts'
import { serveSessions } from './identity/sessions/routes.ts'
import { type FindTexts, serveSignInDomains } from './identity/sign-in-domains/routes.ts'
import { serveSignInPolicies } from './identity/sign-in-policies/routes.ts'
import type { ClientOf } from './identity/single-sign-on/client.ts'
import type { FindInstallationProvider } from './identity/single-sign-on/provider.ts'
import { serveSingleSignOn } from './identity/single-sign-on/routes.ts'
import { serveSlackAccounts } from './identity/slack-accounts/routes.ts'
import { serveTeams } from './identity/teams/routes.ts'
import { serveUsers } from './identity/users/routes.ts'
import { findApprovalSubject } from './infrastructure/approval-subjects/subject.ts'
import { markCurrent } from './infrastructure/iac-resources/record.ts'
import { serveIacResources } from './infrastructure/iac-resources/routes.ts'
import { iacOrders } from './infrastructure/iac-steps/orders.ts'
import { pastPlans } from './infrastructure/iac-steps/past-plans.ts'
import { serveIacSteps } from './infrastructure/iac-steps/routes.ts'
import { hasHistory } from './infrastructure/instance-runs/history.ts'
import { retryOfInstance } from './infrastructure/instance-runs/retry.ts'
import { instanceRuns } from './infrastructure/instance-runs/runs.ts'
import { servePreviewEnvironments } from './infrastructure/preview-environments/routes.ts'
import { servePriceList } from './infrastructure/price-list/routes.ts'
import { serveStackDrift } from './infrastructure/stack-drift/routes.ts'
import { countLooks } from './infrastructure/stack-drift/store.ts'
import { serveStateBackend } from './infrastructure/state-backend/routes.ts'
import { serveAppliedFiles } from './interface/applied-files/routes.ts'
import { serveChanges } from './interface/changes/routes.ts'
import { serveDescribe } from './interface/describe/routes.ts'
import { serveFavourites } from './interface/favourites/routes.ts'
import { serveGuide } from './interface/guide/routes.ts'
import { serveHealth } from './interface/health/routes.ts'
import { usersOfOrganization } from './interface/in-use/organization.ts'
import { regionsOfCloudAccount } from './interface/in-use/regions.ts'
import { removeHistoryOfEnvironment, removeUnusedStack } from './interface/in-use/removal.ts'
import {
  usersOfCloudAccount,
  usersOfEnvironment,
  usersOfExecutionEnvironment,
  usersOfModuleInstance,
  usersOfProject,
  usersOfStack,
} from './interface/in-use/users.ts'
import { serveInbox } from './interface/inbox/routes.ts'
import { recordToldUses } from './interface/mcp/uses.ts'
import { serveMetrics } from './interface/metrics/routes.ts'
import { serveOpenApi } from './interface/openapi/routes.ts'
import { serveReports } from './interface/reports/routes.ts'
import { serveSchemas } from './interface/schemas/routes.ts'
import { serveSearch } from './interface/search/routes.ts'
import { serveServices } from './interface/services/routes.ts'
import { serveWatchedRepositories } from './interface/watched-repositories/routes.ts'
import { serveBundledModules } from './modules/bundled-modules/routes.ts'
import { serveModuleDefinitions } from './modules/module-definitions/routes.ts'
import { serveModuleInstances } from './modules/module-instances/routes.ts'
import { serveModuleVersions } from './modules/module-versions/routes.ts'
import { serveValues } from './modules/values/routes.ts'
import { serveNotificationChannels } from './notifications/notification-channels/routes.ts'
import { serveNotificationDeliveries } from './notifications/notification-deliveries/routes.ts'
import { serveNotificationEvents } from './notifications/notification-events/routes.ts'
import { serveNotificationSettings } from './notifications/people/routes.ts'
import { serveUnsubscribing } from './notifications/people/unsubscribe.ts'
import { receiveSlackPresses } from './notifications/slack-presses/routes.ts'
import { knownCommits } from './pipelines/artifacts/known-commits.ts'
import { serveArtifacts } from './pipelines/artifacts/routes.ts'
import { buildOrder } from './pipelines/builds/order.ts'
import type { Builder } from './pipelines/builds/provenance.ts'
import { serveBuilds } from './pipelines/builds/routes.ts'
import { serveExecutionAssignments } from './pipelines/execution-assignments/routes.ts'
import { receiveGitDeliveries } from './pipelines/git-deliveries/routes.ts'
import { serveIacPlans } from './pipelines/iac-plans/routes.ts'
import { wakeGatedRuns } from './pipelines/pipeline-runs/gates/freeze-clearance.ts'
import type { WhenOver } from './pipelines/pipeline-runs/look.ts'
import { servePipelineRuns } from './pipelines/pipeline-runs/routes.ts'
import { countQueuedRuns } from './pipelines/pipeline-runs/store.ts'
import { type FindApprovalSubject, servePipelineStepExecutions } from './pipelines/pipeline-step-executions/routes.ts'
import { countQueuedSteps } from './pipelines/pipeline-step-executions/store.ts'
import { pastVersions } from './pipelines/pipeline-versions/policy-subjects.ts'
import { servePipelineVersions } from './pipelines/pipeline-versions/routes.ts'
import { servePipelines } from './pipelines/pipelines/routes.ts'
import { holdPipeline } from './pipelines/pipelines/store.ts'
import type { AddressGuard } from './pipelines/runner/address-guard.ts'
import type { AttemptTokens } from './pipelines/runner/attempt-tokens.ts'
import { countOnSharedRunners } from './pipelines/runner/claim.ts'
import type { RunnerPace } from './pipelines/runner/claims.ts'
import { commandOrder } from './pipelines/runner/command-order.ts'
import type { ReadySteps } from './pipelines/runner/ready.ts'
import { serveRunners } from './pipelines/runner/routes.ts'
import type { FindRunnerScope } from './pipelines/runner/runner-tokens.ts'
import { serveRunnerPools } from './pipelines/runner-pools/routes.ts'
import { serveRunnerTasks } from './pipelines/runner-tasks/routes.ts'
import type { TaskTokens } from './pipelines/runner-tasks/tokens.ts'
import { serveRunnerTokens } from './pipelines/runner-tokens/routes.ts'
import { rejudgeSteps } from './pipelines/step-approvals/decide.ts'
import type { Bell } from './pipelines/step-logs/bell.ts'
import type { LogReader } from './pipelines/step-logs/read.ts'
import { serveStepLogs } from './pipelines/step-logs/routes.ts'
import type { Secrets } from './platform/crypto/keys.ts'
import type { Seal } from './platform/crypto/seal.ts'
import type { Database, Db } from './platform/db/open.ts'
import type { Engine } from './platform/engine/client.ts'
import type { App } from './platform/http/app.ts'
import type { OpenPage } from './platform/http/pagination.ts'
import type { Metrics } from './platform/metrics/metrics.ts'
import { serveDefaultValueDefinitions } from './projects/default-value-definitions/routes.ts'
import { serveDefaultValues } from './projects/default-values/routes.ts'
import { serveDomains } from './projects/domains/routes.ts'
import { serveEnvironmentNetworks } from './projects/environment-networks/routes.ts'
import { serveEnvironmentOrder } from './projects/environment-order/routes.ts'
import { serveEnvironments } from './projects/environments/routes.ts'
import { serveProjects } from './projects/projects/routes.ts'
import { serveRoleGrants } from './projects/role-grants/routes.ts'
import { serveIacStates } from './stacks/iac-states/routes.ts'
import type { StateTokens } from './stacks/iac-states/token.ts'
import { serveStacks } from './stacks/stacks/routes.ts'

/** What the operations are made of; each feature takes what it needs. */
export type ApiParts = ReturnParts & {
  /** Sees every organization; a request has its own, which sees one. */
  db: Db
  engine: Engine
  knowsWorker: () => Promise<boolean | undefined>
  isClockRight: () => boolean | undefined
  isWanted: () => boolean
  metrics: Metrics
  /** Whether agents may ask, and act, at `/mcp`. */
  mcp: 'off' | 'on'
  mcpActions: 'off' | 'on'
  /** Of the sessions of agents. */
  agentSecrets: Secrets
  metricsToken: string | undefined
  cloud: Cloud
  hosts: GitHosts
  tokens: ConnectionTokens
  states: GitStates
  stateTokens: StateTokens
  /** The keys of issuers of tokens. */
  keysOf: KeysOf
  /** The same of the operator's own provider. */
  operatorKeysOf: KeysOf
  clientOf: ClientOf
  installationProvider: FindInstallationProvider
  /** What the sign-in page tells everybody. */
  signInNote: string | undefined
  findTexts: FindTexts
  /** Of the secrets of identity providers. */
  identitySeal: Seal
  /** Of sign-ins that were begun. */
  attemptSeal: Seal
  seal: Seal
  gitSeal: Seal
  ofOrganization: Database['ofOrganization']
  /** What links to switch mail off are signed with. */
  unsubscribeSecrets: Secrets
  /** What links to accounts at Slack are signed with. */
  slackLinkSecrets: Secrets
  /** Of the secrets of notification channels. */
  channelSeal: Seal
  /** Whether the operator has set up mail. */
  sendsMail: boolean
  bell: Bell
  logReader: LogReader
  deploymentReader: DeploymentReader
  attemptTokens: AttemptTokens
  /** Of the keys by which builds know each other again. */
  buildSecrets: Secrets
  /** Who vouches for what was built. */
  builder: Builder
  /** The way out to registries that are no account's. */
  sendToRegistry: SendOutbound
  taskTokens: TaskTokens
  /** The image of the runner, for tasks in cloud accounts. */
  runnerImage: string | undefined
  /** Where tasks in cloud accounts reach the API. */
  runnerUrl: string | undefined
  findRunnerScope: FindRunnerScope
  /** Told when steps are ready for runners. */
  ready: ReadySteps
  runnerPace: RunnerPace
  guard: AddressGuard
  /** Where programs of steps send calls to the cloud, if not to the cloud. */
  cloudEndpoint: string | undefined
  intake: Intake
  whenOver: WhenOver
  hasSharedRunners: boolean
  openPage: OpenPage
  releaseDigests: ReleaseDigests
  registration: Registration
  /** The service accounts that may publish module definitions to every organization, by id. */
  modulePublishers: readonly string[]
  connectTemplateUrl: string | undefined
  /** How long the installation keeps lines of the audit log. */
  auditRetentionDays: number
  /** Signs heads of audit logs. */
  signHead: SignHead
  clock: () => Date
  log: Logger
}

/** Serves every operation that there is. */
export async function serveApi(app: App, given: ApiParts): Promise<void> {
  const onSignIn: OnSignIn = (way, result) => given.metrics.signIns.inc({ way, result })
  // What is handed this sees every organization. docs/architecture.md has the list, and a test keeps it short.
  const everywhere = { ...given, ...fromAbove(given), onSignIn }
  const { db: _, ...parts } = everywhere
  const accountOffers = openAccountOffers(given.cloud, waitingIn(app, given.clock))
  await serveOpenApi(app)
  await serveGuide(app)
  serveSchemas(app)
  serveHealth(app, everywhere)
  serveMetrics(app, everywhere)
  recordToldUses(app)
  // What it stands on takes a good part of a start, and most services have it off.
  if (given.mcp === 'on') (await import('./interface/mcp/routes.ts')).serveMcp(app, parts)
  serveAuth(app, everywhere)
  serveDeviceSignIns(app, everywhere)
  serveOrganizations(app, everywhere)
  serveLimits(app, parts)
  serveUsers(app, everywhere)
  serveMemberships(app, parts)
  serveInvitations(app, everywhere)
  serveServiceAccounts(app, parts)
  serveServiceAccountTrusts(app, everywhere)
  serveSlackAccounts(app, parts)
  serveTeams(app, parts)
  serveApiKeys(app, parts)
  serveSessions(app, parts)
  serveIdentityProviders(app, parts)
  serveSignInDomains(app, parts)
  serveSignInPolicies(app, everywhere)
  serveSingleSignOn(app, everywhere)
  serveAuditEvents(app, parts)
  serveChanges(app, everywhere)
  serveBundledModules(app)
  serveModuleDefinitions(app, everywhere)
  serveModuleVersions(app, parts)
  serveModuleInstances(app, parts)
  serveModuleImports(app, parts)
  serveModuleInstanceTasks(app, parts)
  serveCloudMonitor(app, parts)
  servePipelines(app, parts)
  servePipelineVersions(app, parts)
  servePipelineRuns(app, parts)
  servePipelineStepExecutions(app, parts)
  serveStepLogs(app, parts)
  serveStacks(app, parts)
  serveStackDrift(app, parts)
  serveArtifacts(app, parts)
  serveIacPlans(app, parts)
  servePriceList(app)
  serveIacResources(app, parts)
  serveIacStates(app, parts)
  serveStateBackend(app, everywhere)
  serveProjects(app, parts)
  serveEnvironments(app, parts)
  serveEnvironmentNetworks(app)
  serveEnvironmentOrder(app)
  serveRoleGrants(app, parts)
  serveCloudAccounts(app, parts)
  serveAccountOffers(app, { ...parts, accountOffers })
  serveCertificates(app, parts)
  serveDomains(app, parts)
  serveExecutionEnvironments(app, parts)
  serveExecutionAssignments(app, parts)
  serveRunnerTokens(app, parts)
  serveRunnerPools(app, parts)
  serveRunnerTasks(app, parts)
  serveCodeSources(app, parts)
  serveRepositories(app, parts)
  serveGithostaInstallations(app, everywhere)
  serveGithostbConnections(app, everywhere)
  serveGithostbInstances(app, parts)
  serveDefaultValueDefinitions(app, parts)
  serveDefaultValues(app, parts)
  serveDeployments(app, { ...parts, knownCommits: knownCommits(parts.hosts) })
  serveNotificationChannels(app, parts)
  serveNotificationDeliveries(app, parts)
  serveNotificationEvents(app)
  serveNotificationSettings(app, parts)
  serveUnsubscribing(app, everywhere)
  receiveSlackPresses(app, everywhere)
  serveFreezes(app, { ...parts, reconcileDeployments: reconcileQueued, reconcileRuns: wakeGatedRuns })
  serveHolds(app, { ...parts, reconcileDeployments: reconcileQueued })
  serveApprovalRules(app, { ...parts, reconcileDeployments: reconcileQueued, rejudgeSteps })
  serveApprovalDelegations(app, parts)
  servePromotionRules(app, parts)
  servePreviewEnvironments(app, parts)
  servePolicies(app, {
    ...parts,
    holdPipeline,
    rejudgeSteps,
    past: { DEPLOYMENTS: pastDeployments, PLANS: pastPlans, PIPELINE_VERSIONS: pastVersions },
  })
  serveDeploymentApprovals(app, parts)
  serveDeploymentResources(app, parts)
  serveValues(app, { ...parts, accountOffers })
  serveDeploymentMetrics(app, parts)
  serveServiceHealth(app, parts)
  serveServices(app, parts)
  serveReports(app, parts)
  serveAppliedFiles(app)
  serveWatchedRepositories(app, parts)
  serveFavourites(app)
  serveInbox(app, parts)
  serveSearch(app)
  serveDescribe(app)
  serveInfrastructureEvents(app, parts)
  receiveInfrastructureEvents(app, everywhere)
  receiveGitDeliveries(app, everywhere)
  const handOut = serveRunners(app, { ...everywhere, orders: ordersOf(app, parts) })
  serveBuilds(app, { ...parts, handOut })
  serveIacSteps(app, { ...parts, handOut })
}

/** What is to be done for each type of step that runners carry out. */
const ordersOf = (
  { ofOrganization, limits: { mosts } }: App,
  { seal, cloud, stateTokens, cloudEndpoint, clock }: Omit<ApiParts, 'db'>,
) => ({
  build: buildOrder({ ofOrganization, seal, cloud }),
  command: commandOrder(ofOrganization),
  ...iacOrders({ ofOrganization, seal, cloud, stateTokens, cloudEndpoint, mosts, clock }),
})

/** What features need of others that stand above them: imports go down, so it is handed in. */
const fromAbove = ({ engine, log, hosts }: ApiParts) => ({
  instanceRuns: instanceRuns({ engine, log }),
  retryOfInstance,
  noteService,
  markCurrent,
  findApprovalSubject: (...asked: Parameters<FindApprovalSubject>) => findApprovalSubject(hosts, ...asked),
  hasHistory,
  removeHistoryOfEnvironment,
  removeUnusedStack,
  regionsOfCloudAccount,
  usersOfCloudAccount,
  usersOfEnvironment,
  usersOfExecutionEnvironment,
  usersOfModuleInstance,
  usersOfProject,
  usersOfStack,
  findBusy: usersOfOrganization,
  countUsed: {
    queuedRuns: countQueuedRuns,
    queuedSteps: countQueuedSteps,
    queuedDeployments: countQueuedDeployments,
    runningSteps: countOnSharedRunners,
    driftLooks: countLooks,
  },
})
