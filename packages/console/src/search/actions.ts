import type { Permission } from '@sluice/contract'
import type { LinkProps } from '@tanstack/react-router'
import { type PageCommand, pageCommands } from '../commands/page-commands.ts'

/** Action that creates something with the form of a page. */
export type FormAction = {
  command: PageCommand
  to: Extract<LinkProps['to'], `/console/${string}`>
  /** Required permission; none by default. */
  permission?: Permission
  /** Further words that find the action. */
  keywords?: string
}

/** Actions that are available on every page and open a form. */
export const formActions: readonly FormAction[] = [
  { command: 'createProject', to: '/console/projects', permission: 'projects:write', keywords: 'new add' },
  {
    command: 'createEnvironment',
    to: '/console/environments',
    permission: 'environments:write',
    keywords: 'new add staging production',
  },
  { command: 'createPipeline', to: '/console/pipelines', permission: 'pipelines:write', keywords: 'new add ci' },
  { command: 'createModule', to: '/console/modules', permission: 'module-definitions:write', keywords: 'new add' },
  {
    command: 'addCloudAccount',
    to: '/console/settings/cloud-accounts',
    permission: 'cloud-accounts:write',
    keywords: 'new add aws role',
  },
  {
    command: 'connectRepository',
    to: '/console/settings/code-sources',
    permission: 'code-sources:write',
    keywords: 'new add git github gitlab code source',
  },
  {
    command: 'watchRepository',
    to: '/console/settings/watched-repositories',
    permission: 'api-keys:write',
    keywords: 'git files gitops',
  },
  {
    command: 'inviteMember',
    to: '/console/settings/members',
    permission: 'invitations:write',
    keywords: 'new add user person',
  },
  { command: 'createTeam', to: '/console/settings/access', permission: 'teams:write', keywords: 'new add group' },
  {
    command: 'createServiceAccount',
    to: '/console/settings/service-accounts',
    permission: 'service-accounts:write',
    keywords: 'new add ci robot',
  },
  { command: 'createApiKey', to: '/console/settings/api-keys', keywords: 'new add token' },
  {
    command: 'scheduleFreeze',
    to: '/console/settings/freezes',
    permission: 'freezes:write',
    keywords: 'new add freeze block stop window',
  },
  {
    command: 'createApprovalRule',
    to: '/console/settings/approval-rules',
    permission: 'approval-rules:write',
    keywords: 'new add require approvals',
  },
  {
    command: 'addDelegation',
    to: '/console/settings/approval-rules',
    permission: 'approvals:write',
    keywords: 'new add delegation vacation deputy',
  },
  {
    command: 'createPolicy',
    to: '/console/settings/policies',
    permission: 'policies:write',
    keywords: 'new add rule cel',
  },
  {
    command: 'createPromotionRule',
    to: '/console/settings/promotion-rules',
    permission: 'promotion-rules:write',
    keywords: 'new add soak automatic',
  },
  {
    command: 'addChannel',
    to: '/console/settings/notifications',
    permission: 'notification-channels:write',
    keywords: 'new slack teams email pagerduty webhook',
  },
  {
    command: 'createExecutionEnvironment',
    to: '/console/settings/execution-environments',
    permission: 'execution-environments:write',
    keywords: 'new add runner pool',
  },
]

/** Returns whether every word of the text is a prefix of a word in the label or the keywords. */
export function matchesWords(text: string, label: string, keywords = ''): boolean {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean)
  const words = `${label} ${keywords}`.toLowerCase().split(/[\s-]+/)
  return wanted.length > 0 && wanted.every((one) => words.some((word) => word.startsWith(one)))
}

/** Returns the name of a form action. */
export const formActionLabel = ({ command }: FormAction): string => pageCommands[command].label
