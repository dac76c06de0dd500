import { Select, Text, Textarea, TextInput } from '@mantine/core'
import type { Freeze } from '@sluice/contract'
import { useContext } from 'react'
import { client } from '../api/client.ts'
import { Here } from '../api/place.ts'
import { useChange } from '../api/use-change.ts'
import { useMay } from '../api/use-may.ts'
import { useWhole } from '../api/use-pages.ts'
import { FormFaults } from '../ui/form-faults.ts'
import { FormModal, textOf } from '../ui/form-modal.tsx'
import { placeOf } from './place.ts'

type Instance = { id: string; name: string }

type Props = {
  freeze: Freeze
  /** What the page is about, where it is about one. */
  instance?: Instance | undefined
  /** Whether others stop it as well, so that it must be said which this is about. */
  isOneOf?: boolean
}

/** Lets something past a freeze for some time; in words where that is for others to do. */
export const LetPast = (props: Props) => (
  <Here value={placeOf(props.freeze)}>
    <Offer {...props} />
  </Here>
)

const Offer = ({ freeze, instance, isOneOf = false }: Props) => {
  const { id, name } = freeze
  const { isAllowed, reason } = useMay('freezes:override')
  const label = `Let ${instance ? 'it' : 'something'} past${isOneOf ? ` “${name}”` : ''}…`
  const give = useChange(
    (form: FormData) => client.createFreezeOverride({ params: { id }, body: { data: givenIn(form) } }),
    ['listActiveFreezes', 'listFreezeOverrides', 'getDeployment', 'listDeployments'],
  )
  if (!isAllowed) {
    return (
      reason !== '' && (
        <Text size="sm">
          An admin or an owner of {ofPlace(freeze)} can let {instance ? 'it' : 'something'} past
          {isOneOf && ` “${name}”`}, or lift the freeze.
        </Text>
      )
    )
  }
  return (
    <FormModal
      label={label}
      ariaLabel={`${label} ${name}`}
      title={`Let past “${name}”`}
      submit="Let past"
      change={give}
      button={{ size: 'xs', variant: 'default' }}
    >
      {instance ? <OneOrAll instance={instance} /> : <AnyOrAll freeze={freeze} />}
      <Rest />
    </FormModal>
  )
}

function ofPlace({ projectId, environmentId }: Freeze): string {
  if (projectId === undefined) return 'the organization'
  return environmentId === undefined ? 'the project' : 'the environment'
}

const everything = { value: 'all', label: 'Everything that it stops' }

const OneOrAll = ({ instance: { id, name } }: { instance: Instance }) => (
  <Select
    name="what"
    label="What"
    data={[{ value: id, label: `Only ${name}` }, everything]}
    defaultValue={id}
    allowDeselect={false}
  />
)

const AnyOrAll = ({ freeze: { projectId, environmentId, moduleInstanceId } }: { freeze: Freeze }) => {
  const within = {
    ...(projectId !== undefined && { projectId }),
    ...(environmentId !== undefined && { environmentId }),
  }
  const instances = useWhole('listModuleInstances', within).data ?? []
  const environments = useWhole('listEnvironments', { limit: 100 }).data ?? []
  const environmentOf = (id: string) => environments.find((one) => one.id === id)?.name
  const choices = instances
    .filter(({ id }) => moduleInstanceId === undefined || id === moduleInstanceId)
    .map((one) => ({
      value: one.id,
      label: [one.name, environmentOf(one.environmentId)].filter(Boolean).join(' · '),
    }))
  return (
    <Select
      name="what"
      label="What"
      data={[everything, ...choices]}
      defaultValue={everything.value}
      allowDeselect={false}
      searchable
      limit={100}
    />
  )
}

const Rest = () => {
  const faults = useContext(FormFaults)
  return (
    <>
      <Textarea
        name="reason"
        label="Reason"
        description="It stays in the audit log."
        autosize
        minRows={2}
        maxLength={500}
        required
        data-autofocus
        error={faults.reason}
      />
      <TextInput
        type="number"
        name="minutes"
        label="Minutes"
        description="How long it lasts, a day (1440) at most."
        min={1}
        max={1440}
        defaultValue={60}
        required
        error={faults.minutes}
      />
    </>
  )
}

function givenIn(form: FormData) {
  const what = textOf(form, 'what')
  return {
    reason: textOf(form, 'reason'),
    minutes: Number(textOf(form, 'minutes')),
    ...(what !== everything.value && { moduleInstanceId: what }),
  }
}
