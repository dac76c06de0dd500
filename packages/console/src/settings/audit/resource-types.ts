/** Types of records in the audit log. */
export const resourceTypes = [
  'api-key',
  'approval-delegation',
  'approval-rule',
  'artifact',
  'certificate',
  'cloud-account',
  'code-source',
  'default-value',
  'deployment',
  'domain',
  'environment',
  'execution-environment',
  'freeze',
  'hold',
  'iac-state-version',
  'identity-provider',
  'invitation',
  'membership',
  'module-definition',
  'module-instance',
  'module-version',
  'notification-channel',
  'organization',
  'pipeline',
  'pipeline-run',
  'pipeline-step-execution',
  'pipeline-version',
  'policy',
  'preview-environment',
  'preview-template',
  'project',
  'promotion-rule',
  'role-grant',
  'runner',
  'runner-token',
  'service-account',
  'session',
  'sign-in-domain',
  'stack',
  'team',
  'user',
  'watched-repository',
] as const

const names: Readonly<Record<string, string>> = {
  'api-key': 'API key',
  'approval-delegation': 'Delegation of approvals',
  'code-source': 'Repository',
  'iac-state-version': 'State of a stack',
  membership: 'Member',
  'module-definition': 'Module',
  'module-instance': 'Service',
  'pipeline-step-execution': 'Pipeline step',
  'role-grant': 'Role',
}

/** Returns the words of a record type. */
export function resourceTypeName(type: string): string {
  const words = type.replaceAll('-', ' ')
  return names[type] ?? words.charAt(0).toUpperCase() + words.slice(1)
}
