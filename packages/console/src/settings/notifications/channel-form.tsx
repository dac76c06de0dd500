import { Checkbox, MultiSelect, PasswordInput, Select, Stack, TextInput } from '@mantine/core'
import {
  type ChannelFormat,
  type ChannelKind,
  channelFormats,
  type NotificationChannel,
  type NotificationType,
  type Severity,
  severities,
} from '@sluice/contract'
import { useContext, useState } from 'react'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { usePermission } from '../../api/use-permission.ts'
import {
  auditEvent,
  channelTypeLabels,
  channelTypes,
  formatLabels,
  selectableEvents,
  severityLabels,
} from '../../notifications/notification-labels.ts'
import { Copyable } from '../../ui/buttons/copyable.tsx'
import { EditModal } from '../../ui/forms/edit-modal.tsx'
import { FormModal, textFieldValue } from '../../ui/forms/form-modal.tsx'
import { FormProblems } from '../../ui/forms/form-problems.ts'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { DeliveryFields, deliveryFromForm, supportsDigest } from './delivery-fields.tsx'

const permission = 'notification-channels:write'
const shows = ['listNotificationChannels'] as const

export const NewChannel = () => {
  const [secret, setSecret] = useState<string>()
  const create = useApiMutation(
    (form: FormData) => {
      const kind = textFieldValue(form, 'kind') as ChannelKind
      const projectId = textFieldValue(form, 'projectId')
      const data = { kind, ...settingsIn(kind, form), ...reachIn(kind, form), ...(projectId !== '' && { projectId }) }
      return client.createNotificationChannel({ body: { data } })
    },
    shows,
    ({ data }) => setSecret(data.secret),
  )
  return (
    <>
      <FormModal
        permission={permission}
        command="addChannel"
        label="Add channel"
        title="Add channel"
        outcome="Sluice sends every event that you select here to the channel."
        submit="Add"
        change={create}
        button={{ size: 'xs' }}
      >
        <NewFields />
      </FormModal>
      <SecretDialog title="Webhook signing secret" isOpen={secret !== undefined} onClose={() => setSecret(undefined)}>
        <Copyable label="Secret" value={secret ?? ''} />
      </SecretDialog>
    </>
  )
}

export const EditChannel = ({ of }: { of: NotificationChannel }) => {
  const { id, name, kind } = of
  const update = useApiMutation(
    (form: FormData) =>
      client.updateNotificationChannel({
        params: { id },
        body: { data: { ...settingsIn(kind, form), ...reachIn(kind, form) } },
      }),
    shows,
  )
  return (
    <EditModal permission={permission} name={name} change={update}>
      <Named of={of} />
      <RecipientFields kind={kind} of={of} />
      <EventFields of={of} projectId={of.projectId ?? null} hearsLog={kind === 'WEBHOOK'} />
      {supportsDigest(kind) && <DeliveryFields of={of} />}
    </EditModal>
  )
}

type Props = { of?: NotificationChannel | undefined }

const Named = ({ of }: Props) => (
  <TextInput
    name="name"
    label="Name"
    placeholder="Releases"
    required
    maxLength={200}
    defaultValue={of?.name}
    data-autofocus
    error={useContext(FormProblems).name}
  />
)

const NewFields = () => {
  const [kind, setKind] = useState<ChannelKind>('SLACK')
  const [projectId, setProject] = useState<string | null>(null)
  const projects = useCompleteList('listProjects', {}).data ?? []
  return (
    <>
      <Named />
      <Select
        name="kind"
        label="Type"
        data={channelTypes.map((one) => ({ value: one, label: channelTypeLabels[one] }))}
        value={kind}
        onChange={(one) => setKind((one ?? kind) as ChannelKind)}
        allowDeselect={false}
      />
      <RecipientFields key={kind} kind={kind} />
      <Select
        name="projectId"
        label="Project"
        placeholder="All projects"
        data={projects.map(({ id, name }) => ({ value: id, label: name }))}
        value={projectId}
        onChange={setProject}
        clearable
      />
      <EventFields key={projectId} projectId={projectId} hearsLog={kind === 'WEBHOOK'} />
      {supportsDigest(kind) && <DeliveryFields />}
    </>
  )
}

/** Fields for the recipient. An existing secret is kept if the field is empty. */
const RecipientFields = ({ kind, of }: Props & { kind: ChannelKind }) => {
  const faults = useContext(FormProblems)
  const members = useCompleteList('listMemberships', {}).data ?? []
  const teams = useCompleteList('listTeams', {}).data ?? []
  const kept = of && 'Leave empty to keep the current value.'
  if (kind === 'EMAIL') {
    const { recipients = [] } = of ?? {}
    return (
      <>
        <MultiSelect
          name="members"
          label="Members"
          data={members.map(({ id, email, fullName }) => ({
            value: id,
            label: fullName ? `${fullName} (${email})` : email,
          }))}
          defaultValue={recipients.filter((one) => !one.includes('@'))}
          searchable
          error={faults.recipients}
        />
        <TextInput
          name="addresses"
          label="Other email addresses"
          description="Separated by commas."
          placeholder="on-call@example.com"
          defaultValue={recipients.filter((one) => one.includes('@')).join(', ')}
        />
      </>
    )
  }
  if (kind === 'TEAM_MEMBERS')
    return (
      <Select
        name="teamId"
        label="Team"
        description="Each member gets email according to their own settings."
        data={teams.map(({ id, name }) => ({ value: id, label: name }))}
        defaultValue={of?.teamId ?? null}
        required
        error={faults.teamId}
      />
    )
  if (kind === 'PAGERDUTY')
    return (
      <PasswordInput
        name="routingKey"
        label="Integration key"
        description={kept ?? 'From a PagerDuty service, for Events API v2.'}
        autoComplete="off"
        required={!of}
        error={faults.routingKey}
      />
    )
  if (kind === 'WEBHOOK')
    return (
      <>
        <TextInput
          name="url"
          label="URL"
          placeholder="https://hooks.example.com/sluice"
          required
          defaultValue={of?.url}
          error={faults.url}
        />
        <Select
          name="format"
          label="Payload format"
          data={channelFormats.map((one) => ({ value: one, label: formatLabels[one] }))}
          defaultValue={of?.format ?? 'STANDARD'}
          allowDeselect={false}
          error={faults.format}
        />
      </>
    )
  return (
    <>
      <PasswordInput
        name="url"
        label={`${channelTypeLabels[kind]} webhook URL`}
        description={kept ?? 'Stored as a secret and never shown again.'}
        autoComplete="off"
        required={!of}
        error={faults.url}
      />
      {kind === 'SLACK' && <SigningSecret of={of} />}
    </>
  )
}

/** Enables message buttons, because Slack signs their requests. */
const SigningSecret = ({ of }: Props) => {
  const faults = useContext(FormProblems)
  const may = usePermission('memberships:write')
  const [isRemoved, setRemoved] = useState(false)
  return (
    <>
      <PasswordInput
        name="signingSecret"
        label="Slack app signing secret"
        description={
          may.isAllowed
            ? `Adds buttons to messages. ${of?.hasSigningSecret ? 'Leave empty to keep the current secret.' : 'Without it, messages have links.'}`
            : 'Only owners can set it: anyone who knows it can press buttons for every linked account.'
        }
        autoComplete="off"
        disabled={!may.isAllowed || isRemoved}
        error={faults.signingSecret}
      />
      {of?.hasSigningSecret && (
        <Checkbox
          name="withoutButtons"
          label="Remove the signing secret and message buttons"
          checked={isRemoved}
          onChange={(event) => setRemoved(event.currentTarget.checked)}
        />
      )}
    </>
  )
}

type Asked<Type> = Pick<NotificationChannel, 'environmentIds' | 'minimumSeverity'> & { events: Type[] }

type EventFieldsProps = {
  of?: Asked<NotificationType> | undefined
  projectId: string | null
  /** Whether audit events can be selected, which depends on the channel type. */
  hearsLog?: boolean
}

/** Selects events and their scope. */
export const EventFields = ({ of, projectId, hearsLog = false }: EventFieldsProps) => {
  const faults = useContext(FormProblems)
  const { isAllowed: mayReadLog } = usePermission('audit-events:read')
  const offered = hearsLog && mayReadLog ? [...selectableEvents, auditEvent] : selectableEvents
  const environments = useCompleteList('listEnvironments', {}).data ?? []
  const projects = useCompleteList('listProjects', {}).data ?? []
  const projectOf = (id: string) => projects.find((one) => one.id === id)?.name ?? ''
  const there = environments.filter((one) => projectId === null || one.projectId === projectId)
  return (
    <>
      <MultiSelect
        name="environmentIds"
        label="Environments"
        data={there.map((one) => ({ value: one.id, label: `${projectOf(one.projectId)} / ${one.name}` }))}
        defaultValue={of?.environmentIds ?? []}
        searchable
        error={faults.environmentIds}
      />
      <Checkbox.Group
        label="Events"
        defaultValue={of?.events ?? ['deployment.paused', 'deployment.failed', 'pipeline_run.approval_requested']}
        description={`Leave empty for all events${hearsLog ? ' except audit events' : ''}.`}
        error={faults.events}
      >
        <Stack gap="xs" mt={4}>
          {offered.map(({ type, label }) => (
            <Checkbox key={type} name="events" value={type} label={label} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Select
        name="minimumSeverity"
        label="Severity"
        data={severities.map((one) => ({ value: one, label: severityLabels[one] }))}
        defaultValue={of?.minimumSeverity ?? 'INFO'}
        allowDeselect={false}
        error={faults.minimumSeverity}
      />
    </>
  )
}

/** Returns the event filter from form values. */
export const eventsFromForm = <Type extends NotificationType>(form: FormData): Asked<Type> => ({
  environmentIds: listFromForm(form, 'environmentIds'),
  events: form.getAll('events').map((type) => String(type) as Type),
  minimumSeverity: textFieldValue(form, 'minimumSeverity') as Severity,
})

/** Returns the values of a multi-value form field. */
export const listFromForm = (form: FormData, name: string): string[] =>
  textFieldValue(form, name)
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')

const settingsIn = (kind: ChannelKind, form: FormData) => ({
  name: textFieldValue(form, 'name'),
  ...eventsFromForm(form),
  ...(supportsDigest(kind) && deliveryFromForm(form)),
})

function reachIn(kind: ChannelKind, form: FormData) {
  if (kind === 'EMAIL') return { recipients: [...listFromForm(form, 'members'), ...listFromForm(form, 'addresses')] }
  if (kind === 'TEAM_MEMBERS') return { teamId: textFieldValue(form, 'teamId') }
  const field = kind === 'PAGERDUTY' ? 'routingKey' : 'url'
  const entered = textFieldValue(form, field)
  const format = kind === 'WEBHOOK' && { format: textFieldValue(form, 'format') as ChannelFormat }
  return { ...format, ...(entered !== '' && { [field]: entered }), ...(kind === 'SLACK' && signingSecretIn(form)) }
}

function signingSecretIn(form: FormData): { signingSecret?: string | null } {
  if (form.has('withoutButtons')) return { signingSecret: null }
  const entered = textFieldValue(form, 'signingSecret').trim()
  return entered === '' ? {} : { signingSecret: entered }
}
