import { Checkbox, Group, Select, TagsInput, Textarea, TextInput } from '@mantine/core'
import type { CloudAccount, ExecutionEnvironment } from '@sluice/contract'
import { defaultClusterName, defaultExecutionSize } from '@sluice/contract/execution-defaults'
import { useState } from 'react'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { EditModal } from '../../ui/forms/edit-modal.tsx'
import { fieldProblems } from '../../ui/forms/field-problems.ts'
import { FormModal, textFieldValue } from '../../ui/forms/form-modal.tsx'
import { NameAndId } from '../../ui/tables/name-and-id.tsx'

const permission = 'execution-environments:write'
const shows = ['listExecutionEnvironments'] as const

type Accounts = readonly CloudAccount[]

export const NewExecutionEnvironment = ({ accounts }: { accounts: Accounts }) => {
  const create = useApiMutation(
    (form: FormData) => client.createExecutionEnvironment({ body: { data: { kind: kindIn(form), ...dataIn(form) } } }),
    shows,
  )
  const title = 'Create execution environment'
  return (
    <FormModal
      permission={permission}
      command="createExecutionEnvironment"
      label={title}
      title={title}
      outcome="Pipeline steps can run there after you assign them to it."
      submit="Create"
      change={create}
      button={{ size: 'xs' }}
    >
      <Fields accounts={accounts} faults={fieldProblems(create.error)} />
    </FormModal>
  )
}

export const EditExecutionEnvironment = ({ of, accounts }: { of: ExecutionEnvironment; accounts: Accounts }) => {
  const { id, name, network } = of
  const update = useApiMutation(
    (form: FormData) =>
      client.updateExecutionEnvironment({ params: { id }, body: { data: dataIn(form, network !== undefined) } }),
    shows,
  )
  return (
    <EditModal permission={permission} name={name} change={update}>
      <Fields of={of} accounts={accounts} faults={fieldProblems(update.error)} />
    </EditModal>
  )
}

type Props = {
  of?: ExecutionEnvironment | undefined
  accounts: Accounts
  /** Problems from the server by field path. */
  faults: Readonly<Record<string, string>>
}

const Fields = ({ of, accounts, faults }: Props) => (
  <>
    <NameAndId of={of} example="EU production" />
    <Textarea
      name="description"
      label="Description"
      autosize
      minRows={2}
      defaultValue={of?.description ?? ''}
      error={faults.description}
    />
    <ComputeFields of={of} accounts={accounts} faults={faults} />
  </>
)

/** Fields of the selected type, which can't be changed later. */
const ComputeFields = ({ of, accounts, faults }: Props) => {
  const [kind, setKind] = useState<string>(of?.kind ?? 'runners')
  return (
    <>
      {!of && (
        <Select
          name="kind"
          label="Run steps on"
          data={[
            { value: 'runners', label: 'Your machines, with sluice runner' },
            { value: 'cloud', label: 'Tasks in your cloud account' },
          ]}
          value={kind}
          onChange={(chosen) => setKind(chosen ?? 'runners')}
          allowDeselect={false}
        />
      )}
      {kind === 'cloud' && <CloudFields of={of} accounts={accounts} faults={faults} />}
    </>
  )
}

const CloudFields = ({ of, accounts, faults }: Props) => (
  <>
    <Select
      name="cloudAccountId"
      label="Cloud account"
      data={accounts.map(({ id, name }) => ({ value: id, label: name }))}
      defaultValue={of?.cloudAccountId ?? null}
      allowDeselect={false}
      nothingFoundMessage="Connect a cloud account first."
      required
      error={faults.cloudAccountId}
    />
    <TextInput
      name="region"
      label="Region"
      placeholder="eu-west-1"
      required
      defaultValue={of?.region ?? ''}
      error={faults.region}
    />
    <TagsInput
      name="subnetIds"
      label="Subnets"
      description="Press Enter after each entry. Tasks must be able to reach this server and the registry of the runner image."
      defaultValue={of?.network?.subnetIds ?? []}
      error={faults['network.subnetIds']}
    />
    <TagsInput
      name="securityGroupIds"
      label="Security groups"
      description="Press Enter after each entry."
      defaultValue={of?.network?.securityGroupIds ?? []}
      error={faults['network.securityGroupIds']}
    />
    <Checkbox
      name="assignPublicIp"
      label="Assign public IP addresses"
      description="Required for subnets whose only way out is an internet gateway."
      defaultChecked={of?.network?.assignPublicIp ?? false}
    />
    <Group grow align="start">
      <TextInput
        type="number"
        name="cpuUnits"
        label="CPU units"
        description="1024 units are one vCPU."
        min={256}
        max={16_384}
        defaultValue={(of?.size ?? defaultExecutionSize).cpuUnits}
        error={faults['size.cpuUnits']}
      />
      <TextInput
        type="number"
        name="memoryMiB"
        label="Memory (MiB)"
        description="For each task."
        min={512}
        max={122_880}
        defaultValue={(of?.size ?? defaultExecutionSize).memoryMiB}
        error={faults['size.memoryMiB']}
      />
    </Group>
    <TextInput
      name="clusterName"
      label="Cluster"
      description="The cluster that the template created. Roles and the log group are named after it."
      defaultValue={of?.clusterName ?? defaultClusterName}
      error={faults.clusterName}
    />
  </>
)

const kindIn = (form: FormData) => (textFieldValue(form, 'kind') === 'cloud' ? 'cloud' : 'runners')

/** Returns the form's data. An existing network can't be omitted, because the server would silently keep it. */
function dataIn(form: FormData, hasNetwork = false) {
  const named = {
    name: textFieldValue(form, 'name'),
    givenId: textFieldValue(form, 'givenId'),
    description: textFieldValue(form, 'description'),
  }
  if (!form.has('region')) return named
  const idsIn = (name: string) => textFieldValue(form, name).split(',').filter(Boolean)
  const ids = { subnetIds: idsIn('subnetIds'), securityGroupIds: idsIn('securityGroupIds') }
  const network = { ...ids, assignPublicIp: form.has('assignPublicIp') }
  const isSet = hasNetwork || ids.subnetIds.length + ids.securityGroupIds.length > 0
  return {
    ...named,
    cloudAccountId: textFieldValue(form, 'cloudAccountId'),
    region: textFieldValue(form, 'region'),
    size: { cpuUnits: Number(textFieldValue(form, 'cpuUnits')), memoryMiB: Number(textFieldValue(form, 'memoryMiB')) },
    clusterName: textFieldValue(form, 'clusterName'),
    ...(isSet && { network }),
  }
}
