import { type ProjectDocument, type ProjectDocumentKind, projectDocumentKinds } from '@sluice/contract'
import { type Key, keyFor } from './key.ts'
import type { Kind } from './kind.ts'
import { approvalRule } from './kinds/approval-rules.ts'
import { defaultValue, defaultValueDefinition } from './kinds/default-values.ts'
import { domain } from './kinds/domains.ts'
import { environment, environmentOrder } from './kinds/environments.ts'
import { executionAssignment, executionEnvironment } from './kinds/execution-environments.ts'
import { freeze } from './kinds/freezes.ts'
import { moduleDefinition, moduleInstance, moduleVersion } from './kinds/modules.ts'
import { notificationChannel } from './kinds/notification-channels.ts'
import { pipeline } from './kinds/pipelines.ts'
import { policy } from './kinds/policies.ts'
import { previewTemplate } from './kinds/preview-templates.ts'
import { project } from './kinds/project.ts'
import { promotionRule } from './kinds/promotion-rules.ts'
import { roleGrant } from './kinds/role-grants.ts'
import { driftSchedule, stack } from './kinds/stacks.ts'
import type { Reference } from './references.ts'

const kinds: { readonly [K in ProjectDocumentKind]: Kind<K> } = {
  Project: project,
  DefaultValueDefinition: defaultValueDefinition,
  ExecutionEnvironment: executionEnvironment,
  Environment: environment,
  EnvironmentOrder: environmentOrder,
  ExecutionAssignment: executionAssignment,
  Domain: domain,
  DefaultValue: defaultValue,
  ModuleDefinition: moduleDefinition,
  ModuleVersion: moduleVersion,
  Stack: stack,
  ModuleInstance: moduleInstance,
  Pipeline: pipeline,
  DriftSchedule: driftSchedule,
  PreviewTemplate: previewTemplate,
  RoleGrant: roleGrant,
  Freeze: freeze,
  Policy: policy,
  ApprovalRule: approvalRule,
  PromotionRule: promotionRule,
  NotificationChannel: notificationChannel,
}

/** Returns how documents of a kind are read and applied; only documents of that kind may be passed to it. */
export const kindNamed = (name: ProjectDocumentKind): Kind<ProjectDocumentKind> =>
  kinds[name] as Kind<ProjectDocumentKind>

export const kindOf = (document: ProjectDocument): Kind<ProjectDocumentKind> => kindNamed(document.kind)

/** All kinds, in the order in which their records can be created. */
export const orderedKinds = projectDocumentKinds.map((name) => ({ name, kind: kindNamed(name) }))

/** Returns the key of the record that a document is about. */
export function keyOf(document: ProjectDocument): Key {
  const { identity, keyNames } = kindOf(document)
  const names = keyNames?.(document) ?? identity.map((field) => Reflect.get(document, field) as string | undefined)
  return keyFor(document.kind, ...names)
}

/** Returns the fields of a document that do not identify its record. */
export function fieldsOf(document: ProjectDocument): Record<string, unknown> {
  const { kind: _, ...fields } = document as ProjectDocument & Record<string, unknown>
  for (const field of kindOf(document).identity) delete fields[field]
  return fields
}

/** Returns the records that the fields of a document name; `referencesOf` returns those that its texts name. */
export const namedBy = (document: ProjectDocument): Reference[] => kindOf(document).references?.(document) ?? []
