import { accountOfferRoutes } from './routes/cloud/account-resources.ts'
import { certificateRoutes } from './routes/cloud/certificates.ts'
import { cloudAccountRoutes } from './routes/cloud/cloud-accounts.ts'
import { executionEnvironmentRoutes } from './routes/cloud/execution-environments.ts'
import { cloudMonitorRoutes } from './routes/delivery/cloud-monitor.ts'
import { deploymentCheckRoutes } from './routes/delivery/deployment-checks.ts'
import { deploymentMetricRoutes } from './routes/delivery/deployment-metrics.ts'
import { deploymentResourceRoutes } from './routes/delivery/deployment-resources.ts'
import { deploymentRoutes } from './routes/delivery/deployments.ts'
import { infrastructureEventRoutes } from './routes/delivery/infrastructure-events.ts'
import { moduleImportRoutes } from './routes/delivery/module-imports.ts'
import { moduleInstanceTaskRoutes } from './routes/delivery/module-instance-tasks.ts'
import { promotionRuleRoutes } from './routes/delivery/promotion-rules.ts'
import { rehearsalRoutes } from './routes/delivery/rehearsals.ts'
import { serviceHealthRoutes } from './routes/delivery/service-health.ts'
import { approvalDelegationRoutes } from './routes/gates/approval-delegations.ts'
import { approvalRuleRoutes } from './routes/gates/approval-rules.ts'
import { freezeRoutes } from './routes/gates/freezes.ts'
import { holdRoutes } from './routes/gates/holds.ts'
import { policyRoutes } from './routes/gates/policies.ts'
import { codeSourceRoutes } from './routes/git/code-sources.ts'
import { gitHostRoutes } from './routes/git/git-hosts.ts'
import { repositoryRoutes } from './routes/git/repositories.ts'
import { apiKeyRoutes } from './routes/identity/api-keys.ts'
import { auditEventRoutes } from './routes/identity/audit-events.ts'
import { authRoutes } from './routes/identity/auth.ts'
import { deviceSignInRoutes } from './routes/identity/device-sign-ins.ts'
import { invitationRoutes } from './routes/identity/invitations.ts'
import { limitRoutes } from './routes/identity/limits.ts'
import { membershipRoutes } from './routes/identity/memberships.ts'
import { organizationRoutes } from './routes/identity/organizations.ts'
import { serviceAccountTrustRoutes } from './routes/identity/service-account-trusts.ts'
import { serviceAccountRoutes } from './routes/identity/service-accounts.ts'
import { sessionRoutes } from './routes/identity/sessions.ts'
import { singleSignOnRoutes } from './routes/identity/single-sign-on.ts'
import { slackAccountRoutes } from './routes/identity/slack-accounts.ts'
import { teamRoutes } from './routes/identity/teams.ts'
import { userRoutes } from './routes/identity/users.ts'
import { iacPlanRoutes } from './routes/infrastructure/iac-plans.ts'
import { iacResourceRoutes } from './routes/infrastructure/iac-resources.ts'
import { previewEnvironmentRoutes } from './routes/infrastructure/preview-environments.ts'
import { previewTemplateRoutes } from './routes/infrastructure/preview-templates.ts'
import { priceListRoutes } from './routes/infrastructure/price-list.ts'
import { stackDriftRoutes } from './routes/infrastructure/stack-drift.ts'
import { appliedFilesRoutes } from './routes/interface/applied-files.ts'
import { changeRoutes } from './routes/interface/changes.ts'
import { describeRoutes } from './routes/interface/describe.ts'
import { favouriteRoutes } from './routes/interface/favourites.ts'
import { healthRoutes } from './routes/interface/health.ts'
import { inboxRoutes } from './routes/interface/inbox.ts'
import { reportRoutes } from './routes/interface/reports.ts'
import { savedViewRoutes } from './routes/interface/saved-views.ts'
import { searchRoutes } from './routes/interface/search.ts'
import { serviceRoutes } from './routes/interface/services.ts'
import { watchedRepositoryRoutes } from './routes/interface/watched-repositories.ts'
import { bundledModuleRoutes } from './routes/modules/bundled-modules.ts'
import { moduleDefinitionRoutes } from './routes/modules/module-definitions.ts'
import { moduleInstanceRoutes } from './routes/modules/module-instances.ts'
import { moduleVersionRoutes } from './routes/modules/module-versions.ts'
import { valueRoutes } from './routes/modules/values.ts'
import { notificationSettingsRoutes } from './routes/notifications/notification-settings.ts'
import { notificationRoutes } from './routes/notifications/notifications.ts'
import { artifactRoutes } from './routes/pipelines/artifacts.ts'
import { executionAssignmentRoutes } from './routes/pipelines/execution-assignments.ts'
import { pipelineRunRoutes } from './routes/pipelines/pipeline-runs.ts'
import { pipelineStepExecutionRoutes } from './routes/pipelines/pipeline-step-executions.ts'
import { pipelineVersionRoutes } from './routes/pipelines/pipeline-versions.ts'
import { pipelineRoutes } from './routes/pipelines/pipelines.ts'
import { runnerRoutes } from './routes/pipelines/runners.ts'
import { defaultValueRoutes } from './routes/projects/default-values.ts'
import { domainRoutes } from './routes/projects/domains.ts'
import { environmentNetworkRoutes } from './routes/projects/environment-networks.ts'
import { environmentOrderRoutes } from './routes/projects/environment-order.ts'
import { environmentRoutes } from './routes/projects/environments.ts'
import { projectRoutes } from './routes/projects/projects.ts'
import { roleGrantRoutes } from './routes/projects/role-grants.ts'
import type { RouteTable } from './routes/route.ts'
import { iacStateRoutes } from './routes/stacks/iac-states.ts'
import { stackRoutes } from './routes/stacks/stacks.ts'

/** Every operation of the API. The server, the client, the console and the API reference use this table. */
export const routes = {
  ...authRoutes,
  ...deviceSignInRoutes,
  ...certificateRoutes,
  ...changeRoutes,
  ...cloudAccountRoutes,
  ...cloudMonitorRoutes,
  ...codeSourceRoutes,
  ...repositoryRoutes,
  ...defaultValueRoutes,
  ...deploymentCheckRoutes,
  ...deploymentMetricRoutes,
  ...deploymentRoutes,
  ...deploymentResourceRoutes,
  ...describeRoutes,
  ...domainRoutes,
  ...environmentRoutes,
  ...environmentNetworkRoutes,
  ...environmentOrderRoutes,
  ...accountOfferRoutes,
  ...executionAssignmentRoutes,
  ...executionEnvironmentRoutes,
  ...approvalRuleRoutes,
  ...approvalDelegationRoutes,
  ...freezeRoutes,
  ...notificationRoutes,
  ...gitHostRoutes,
  ...healthRoutes,
  ...holdRoutes,
  ...promotionRuleRoutes,
  ...rehearsalRoutes,
  ...previewTemplateRoutes,
  ...watchedRepositoryRoutes,
  ...previewEnvironmentRoutes,
  ...policyRoutes,
  ...artifactRoutes,
  ...iacPlanRoutes,
  ...priceListRoutes,
  ...iacResourceRoutes,
  ...iacStateRoutes,
  ...infrastructureEventRoutes,
  ...limitRoutes,
  ...bundledModuleRoutes,
  ...moduleDefinitionRoutes,
  ...moduleImportRoutes,
  ...moduleInstanceRoutes,
  ...moduleInstanceTaskRoutes,
  ...moduleVersionRoutes,
  ...pipelineRoutes,
  ...pipelineRunRoutes,
  ...pipelineStepExecutionRoutes,
  ...pipelineVersionRoutes,
  ...projectRoutes,
  ...appliedFilesRoutes,
  ...runnerRoutes,
  ...searchRoutes,
  ...serviceRoutes,
  ...serviceHealthRoutes,
  ...stackRoutes,
  ...stackDriftRoutes,
  ...apiKeyRoutes,
  ...slackAccountRoutes,
  ...auditEventRoutes,
  ...invitationRoutes,
  ...membershipRoutes,
  ...organizationRoutes,
  ...reportRoutes,
  ...roleGrantRoutes,
  ...serviceAccountRoutes,
  ...serviceAccountTrustRoutes,
  ...sessionRoutes,
  ...singleSignOnRoutes,
  ...teamRoutes,
  ...favouriteRoutes,
  ...savedViewRoutes,
  ...inboxRoutes,
  ...notificationSettingsRoutes,
  ...userRoutes,
  ...valueRoutes,
} as const satisfies RouteTable
