/** Sections of the settings with their pages, in order. */
export const settingsSections = [
  {
    label: 'Organization',
    pages: [
      { to: '/console/settings/organization', label: 'Organization', keywords: 'name limits retention delete' },
      { to: '/console/settings/members', label: 'Members', keywords: 'users people invitations roles' },
      { to: '/console/settings/access', label: 'Access', keywords: 'teams roles permissions grants' },
      { to: '/console/settings/service-accounts', label: 'Service accounts', keywords: 'robots ci oidc trusts' },
      { to: '/console/settings/api-keys', label: 'API keys', keywords: 'tokens' },
      {
        to: '/console/settings/single-sign-on',
        label: 'Single sign-on',
        keywords: 'sso oidc identity provider domains',
      },
      { to: '/console/settings/prices', label: 'Prices', keywords: 'cost currency' },
      { to: '/console/settings/audit-log', label: 'Audit log', keywords: 'history changes who export' },
    ],
  },
  {
    label: 'Projects',
    pages: [
      { to: '/console/settings/projects', label: 'Projects', keywords: 'environments' },
      { to: '/console/settings/defaults', label: 'Default values', keywords: 'variables keys inputs' },
      { to: '/console/settings/preview-templates', label: 'Preview templates', keywords: 'pull requests branches' },
    ],
  },
  {
    label: 'Release gates',
    pages: [
      { to: '/console/settings/approval-rules', label: 'Approval rules', keywords: 'approvals delegations reviewers' },
      { to: '/console/settings/freezes', label: 'Freezes', keywords: 'window block stop holiday schedule' },
      { to: '/console/settings/policies', label: 'Policies', keywords: 'cel rules expressions' },
      { to: '/console/settings/promotion-rules', label: 'Promotion rules', keywords: 'soak automatic promote' },
    ],
  },
  {
    label: 'Cloud and Git',
    pages: [
      { to: '/console/settings/cloud-accounts', label: 'Cloud accounts', keywords: 'aws role connect' },
      {
        to: '/console/settings/execution-environments',
        label: 'Execution environments',
        keywords: 'runners pools fargate',
      },
      { to: '/console/settings/domains', label: 'Domains and certificates', keywords: 'dns tls acm route 53' },
      { to: '/console/settings/code-sources', label: 'Code sources', keywords: 'github gitlab repositories git' },
      { to: '/console/settings/watched-repositories', label: 'Watched repositories', keywords: 'gitops files drift' },
    ],
  },
  {
    label: 'Notifications and account',
    pages: [
      {
        to: '/console/settings/notifications',
        label: 'Notification channels',
        keywords: 'slack teams pagerduty webhook',
      },
      { to: '/console/settings/mail', label: 'Email notifications', keywords: 'mail digest' },
      { to: '/console/settings/slack', label: 'Slack', keywords: 'link account' },
      { to: '/console/settings/sessions', label: 'Your sessions', keywords: 'devices sign out' },
    ],
  },
] as const

export type SettingsPage = (typeof settingsSections)[number]['pages'][number]

/** Settings pages in display order. */
export const settingsPages: readonly SettingsPage[] = settingsSections.flatMap(({ pages }) => [...pages])
