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
import { useChange } from '../../api/use-change.ts'
import { useMay } from '../../api/use-may.ts'
import { useWhole } from '../../api/use-pages.ts'
import { auditHappening, formatNames, happenings, kindNames, kinds, severityNames } from '../../notifications/words.ts'
import { Copyable } from '../../ui/buttons/copyable.tsx'
import { EditModal } from '../../ui/forms/edit-modal.tsx'
import { FormFaults } from '../../ui/forms/form-faults.ts'
import { FormModal, textOf } from '../../ui/forms/form-modal.tsx'
import { ShownOnce } from '../../ui/shown-once.tsx'
import { isForPeople, RhythmFields, rhythmIn } from '../gates/schedule-fields.tsx'

const needs = 'notification-channels:write'
const shows = ['listNotificationChannels'] as const

export const NewChannel = () => {
  const [secret, setSecret] = useState<string>()
  const create = useChange(
    (form: FormData) => {
      const kind = textOf(form, 'kind') as ChannelKind
      const projectId = textOf(form, 'projectId')
      const data = { kind, ...settingsIn(kind, form), ...reachIn(kind, form), ...(projectId !== '' && { projectId }) }
      return client.createNotificationChannel({ body: { data } })
    },
    shows,
    ({ data }) => setSecret(data.secret),
  )
  return (
    <>
      <FormModal
        needs={needs}
        label="Add channel"
        title="Add channel"
        submit="Add"
        change={create}
        button={{ size: 'xs' }}
      >
        <NewFields />
      </FormModal>
      <ShownOnce title="Webhook signing secret" isOpen={secret !== undefined} onClose={() => setSecret(undefined)}>
        <Copyable label="Secret" value={secret ?? ''} />
      </ShownOnce>
    </>
  )
}

export const EditChannel = ({ of }: { of: NotificationChannel }) => {
  const { id, name, kind } = of
  const update = useChange(
    (form: FormData) =>
      client.updateNotificationChannel({
        params: { id },
        body: { data: { ...settingsIn(kind, form), ...reachIn(kind, form) } },
      }),
    shows,
  )
  return (
    <EditModal needs={needs} name={name} change={update}>
      <Named of={of} />
      <Reach kind={kind} of={of} />
      <Told of={of} projectId={of.projectId ?? null} hearsLog={kind === 'WEBHOOK'} />
      {isForPeople(kind) && <RhythmFields of={of} />}
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
    error={useContext(FormFaults).name}
  />
)

const NewFields = () => {
  const [kind, setKind] = useState<ChannelKind>('SLACK')
  const [projectId, setProject] = useState<string | null>(null)
  const projects = useWhole('listProjects', {}).data ?? []
  return (
    <>
      <Named />
      <Select
        name="kind"
        label="Type"
        data={kinds.map((one) => ({ value: one, label: kindNames[one] }))}
        value={kind}
        onChange={(one) => setKind((one ?? kind) as ChannelKind)}
        allowDeselect={false}
      />
      <Reach key={kind} kind={kind} />
      <Select
        name="projectId"
        label="Project"
        placeholder="All projects"
        data={projects.map(({ id, name }) => ({ value: id, label: name }))}
        value={projectId}
        onChange={setProject}
        clearable
      />
      <Told key={projectId} projectId={projectId} hearsLog={kind === 'WEBHOOK'} />
      {isForPeople(kind) && <RhythmFields />}
    </>
  )
}

/** Fields for the recipient. An existing secret is kept if the field is empty. */
const Reach = ({ kind, of }: Props & { kind: ChannelKind }) => {
  const faults = useContext(FormFaults)
  const members = useWhole('listMemberships', {}).data ?? []
  const teams = useWhole('listTeams', {}).data ?? []
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
          data={channelFormats.map((one) => ({ value: one, label: formatNames[one] }))}
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
        label={`${kindNames[kind]} webhook URL`}
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
  const faults = useContext(FormFaults)
  const may = useMay('memberships:write')
  const [isRemoved, setRemoved] = useState(false)
  return (
    <>
      <PasswordInput
        name="signingSecret"
        label="Signing secret of the Slack app"
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

type ToldProps = {
  of?: Asked<NotificationType> | undefined
  projectId: string | null
  /** Whether audit events can be selected, which depends on the channel type. */
  hearsLog?: boolean
}

/** Selects events and their scope. */
export const Told = ({ of, projectId, hearsLog = false }: ToldProps) => {
  const faults = useContext(FormFaults)
  const { isAllowed: mayReadLog } = useMay('audit-events:read')
  const offered = hearsLog && mayReadLog ? [...happenings, auditHappening] : happenings
  const environments = useWhole('listEnvironments', {}).data ?? []
  const projects = useWhole('listProjects', {}).data ?? []
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
        defaultValue={of?.events ?? ['deployment.paused', 'deployment.failed', 'pipeline_run.approval_wanted']}
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
        data={severities.map((one) => ({ value: one, label: severityNames[one] }))}
        defaultValue={of?.minimumSeverity ?? 'INFO'}
        allowDeselect={false}
        error={faults.minimumSeverity}
      />
    </>
  )
}

/** Returns the event filter from form values. */
export const toldIn = <Type extends NotificationType>(form: FormData): Asked<Type> => ({
  environmentIds: listIn(form, 'environmentIds'),
  events: form.getAll('events').map((type) => String(type) as Type),
  minimumSeverity: textOf(form, 'minimumSeverity') as Severity,
})

/** Returns the values of a multi-value form field. */
export const listIn = (form: FormData, name: string): string[] =>
  textOf(form, name)
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')

const settingsIn = (kind: ChannelKind, form: FormData) => ({
  name: textOf(form, 'name'),
  ...toldIn(form),
  ...(isForPeople(kind) && rhythmIn(form)),
})

function reachIn(kind: ChannelKind, form: FormData) {
  if (kind === 'EMAIL') return { recipients: [...listIn(form, 'members'), ...listIn(form, 'addresses')] }
  if (kind === 'TEAM_MEMBERS') return { teamId: textOf(form, 'teamId') }
  const field = kind === 'PAGERDUTY' ? 'routingKey' : 'url'
  const entered = textOf(form, field)
  const format = kind === 'WEBHOOK' && { format: textOf(form, 'format') as ChannelFormat }
  return { ...format, ...(entered !== '' && { [field]: entered }), ...(kind === 'SLACK' && signingSecretIn(form)) }
}

function signingSecretIn(form: FormData): { signingSecret?: string | null } {
  if (form.has('withoutButtons')) return { signingSecret: null }
  const entered = textOf(form, 'signingSecret').trim()
  return entered === '' ? {} : { signingSecret: entered }
}
