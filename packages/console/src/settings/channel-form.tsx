import { Checkbox, MultiSelect, PasswordInput, Select, Stack, TextInput } from '@mantine/core'
import {
  type ChannelKind,
  type NotificationChannel,
  type NotificationType,
  type Severity,
  severities,
} from '@sluice/contract'
import { useContext, useState } from 'react'
import { client } from '../api/client.ts'
import { useChange } from '../api/use-change.ts'
import { useWhole } from '../api/use-pages.ts'
import { happenings, kindNames, kinds, severityNames } from '../notifications/words.ts'
import { Copyable } from '../ui/copyable.tsx'
import { EditModal } from '../ui/edit-modal.tsx'
import { FormFaults } from '../ui/form-faults.ts'
import { FormModal, textOf } from '../ui/form-modal.tsx'
import { ShownOnce } from '../ui/shown-once.tsx'

const needs = 'notification-channels:write'
const shows = ['listNotificationChannels'] as const

export const NewChannel = () => {
  const [secret, setSecret] = useState<string>()
  const create = useChange(
    (form: FormData) => {
      const kind = textOf(form, 'kind') as ChannelKind
      const projectId = textOf(form, 'projectId')
      const data = { kind, ...settingsIn(form), ...reachIn(kind, form), ...(projectId !== '' && { projectId }) }
      return client.createNotificationChannel({ body: { data } })
    },
    shows,
    ({ data }) => setSecret(data.secret),
  )
  return (
    <>
      <FormModal
        needs={needs}
        label="Add a channel"
        title="Add a channel"
        submit="Add"
        change={create}
        button={{ size: 'xs' }}
      >
        <NewFields />
      </FormModal>
      <ShownOnce
        title="What requests are signed with"
        isOpen={secret !== undefined}
        onClose={() => setSecret(undefined)}
      >
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
        body: { data: { ...settingsIn(form), ...reachIn(kind, form) } },
      }),
    shows,
  )
  return (
    <EditModal needs={needs} name={name} change={update}>
      <Named of={of} />
      <Reach kind={kind} of={of} />
      <Told of={of} projectId={of.projectId ?? null} />
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
        label="Kind"
        data={kinds.map((one) => ({ value: one, label: kindNames[one] }))}
        value={kind}
        onChange={(one) => setKind((one ?? kind) as ChannelKind)}
        allowDeselect={false}
      />
      <Reach key={kind} kind={kind} />
      <Select
        name="projectId"
        label="Only what happens in a project"
        placeholder="All projects"
        data={projects.map(({ id, name }) => ({ value: id, label: name }))}
        value={projectId}
        onChange={setProject}
        clearable
      />
      <Told key={projectId} projectId={projectId} />
    </>
  )
}

/** What leads there; a secret that is there already may be another, and is kept where nothing is entered. */
const Reach = ({ kind, of }: Props & { kind: ChannelKind }) => {
  const faults = useContext(FormFaults)
  const members = useWhole('listMemberships', {}).data ?? []
  const kept = of && 'Leave it empty to keep the one that is there.'
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
          label="Other addresses"
          description="Separated by commas."
          placeholder="on-call@example.com"
          defaultValue={recipients.filter((one) => one.includes('@')).join(', ')}
        />
      </>
    )
  }
  if (kind === 'PAGERDUTY')
    return (
      <PasswordInput
        name="routingKey"
        label="Integration key"
        description={kept ?? 'Of a service at PagerDuty, for Events API v2.'}
        autoComplete="off"
        required={!of}
        error={faults.routingKey}
      />
    )
  if (kind === 'WEBHOOK')
    return (
      <TextInput
        name="url"
        label="Address"
        placeholder="https://hooks.example.com/sluice"
        required
        defaultValue={of?.url}
        error={faults.url}
      />
    )
  return (
    <PasswordInput
      name="url"
      label={`Address of the webhook of ${kindNames[kind]}`}
      description={kept ?? 'It is a secret, and shown to nobody.'}
      autoComplete="off"
      required={!of}
      error={faults.url}
    />
  )
}

const Told = ({ of, projectId }: Props & { projectId: string | null }) => {
  const faults = useContext(FormFaults)
  const environments = useWhole('listEnvironments', {}).data ?? []
  const projects = useWhole('listProjects', {}).data ?? []
  const projectOf = (id: string) => projects.find((one) => one.id === id)?.name ?? ''
  const there = environments.filter((one) => projectId === null || one.projectId === projectId)
  return (
    <>
      <MultiSelect
        name="environmentIds"
        label="Only what happens in these environments"
        data={there.map((one) => ({ value: one.id, label: `${projectOf(one.projectId)} / ${one.name}` }))}
        defaultValue={of?.environmentIds ?? []}
        searchable
        error={faults.environmentIds}
      />
      <Checkbox.Group
        label="It is told when"
        defaultValue={of?.events ?? ['deployment.paused', 'deployment.failed', 'pipeline_run.approval_wanted']}
        description="Of everything where none is chosen."
        error={faults.events}
      >
        <Stack gap="xs" mt={4}>
          {happenings.map(({ type, label }) => (
            <Checkbox key={type} name="events" value={type} label={label} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Select
        name="minimumSeverity"
        label="Of that, it is told"
        data={severities.map((one) => ({ value: one, label: severityNames[one] }))}
        defaultValue={of?.minimumSeverity ?? 'INFO'}
        allowDeselect={false}
        error={faults.minimumSeverity}
      />
    </>
  )
}

const listIn = (form: FormData, name: string): string[] =>
  textOf(form, name)
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')

const settingsIn = (form: FormData) => ({
  name: textOf(form, 'name'),
  environmentIds: listIn(form, 'environmentIds'),
  events: form.getAll('events').map((type) => String(type) as NotificationType),
  minimumSeverity: textOf(form, 'minimumSeverity') as Severity,
})

function reachIn(kind: ChannelKind, form: FormData) {
  if (kind === 'EMAIL') return { recipients: [...listIn(form, 'members'), ...listIn(form, 'addresses')] }
  const field = kind === 'PAGERDUTY' ? 'routingKey' : 'url'
  const entered = textOf(form, field)
  return entered === '' ? {} : { [field]: entered }
}
