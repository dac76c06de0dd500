/** The pages of the settings, in their order. */
export const settingsPlaces = [
  { to: '/console/settings/organization', label: 'Organization' },
  { to: '/console/settings/members', label: 'Members' },
  { to: '/console/settings/access', label: 'Access' },
  { to: '/console/settings/service-accounts', label: 'Service accounts' },
  { to: '/console/settings/api-keys', label: 'API keys' },
  { to: '/console/settings/single-sign-on', label: 'Single sign-on' },
  { to: '/console/settings/sessions', label: 'Your sessions' },
  { to: '/console/settings/cloud-accounts', label: 'Cloud accounts' },
  { to: '/console/settings/domains', label: 'Domains and certificates' },
  { to: '/console/settings/code-sources', label: 'Code sources' },
  { to: '/console/settings/projects', label: 'Projects' },
  { to: '/console/settings/defaults', label: 'Defaults' },
  { to: '/console/settings/freezes', label: 'Freezes' },
  { to: '/console/settings/approval-rules', label: 'Approval rules' },
  { to: '/console/settings/execution-environments', label: 'Execution environments' },
  { to: '/console/settings/audit-log', label: 'Audit log' },
] as const
