import { Group, Stack, Text } from '@mantine/core'
import type { DefaultNetwork } from '@sluice/contract'
import { type SubmitEvent, useRef, useState } from 'react'
import { client } from '../api/client.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { useOperation } from '../api/use-operation.ts'
import { InputGroup } from '../instances/inputs/input-group.tsx'
import { inputsFromNetwork } from '../instances/inputs/inputs-from-network.ts'
import { PermissionButton } from '../ui/buttons/permission-button.tsx'
import { RemoveButton } from '../ui/buttons/remove-button.tsx'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { fieldProblems } from '../ui/forms/field-problems.ts'
import { useScrollToProblem } from '../ui/forms/use-scroll-to-problem.ts'
import { QueryResult } from '../ui/query-result.tsx'
import { clearDependents, inputByNetworkField, networkFromValues, networkInputs } from './network-inputs.ts'

type Props = { environmentId: string; name: string; onTouch: (isTouched: boolean) => void; onDone: () => void }

/** Edits the network that new services in an environment start with. */
export const NetworkForm = (props: Props) => {
  const network = useOperation('getEnvironmentNetwork', { params: { id: props.environmentId } })
  return <QueryResult of={network}>{({ data }) => <Form {...props} network={data.default} />}</QueryResult>
}

const Form = ({
  environmentId: id,
  name,
  network,
  onTouch,
  onDone,
}: Props & { network: DefaultNetwork | undefined }) => {
  const form = useRef<HTMLFormElement>(null)
  const [values, setValues] = useState(() => inputsFromNetwork(networkInputs, network))
  const shows = ['getEnvironmentNetwork'] as const
  const update = useApiMutation(
    () => client.updateEnvironmentNetwork({ params: { id }, body: { data: networkFromValues(values) } }),
    shows,
    onDone,
  )
  const remove = useApiMutation(() => client.deleteEnvironmentNetwork({ params: { id } }), shows, onDone)
  useScrollToProblem(form, update.error)
  const mutationError = update.error ?? remove.error
  const faults = new Map(
    Object.entries(fieldProblems(update.error)).map(([field, fault]) => [
      Object.entries(inputByNetworkField).find(([one]) => one === field)?.[1] ?? field,
      fault,
    ]),
  )
  const send = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    update.mutate(undefined)
  }
  return (
    <form ref={form} onSubmit={send}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          New instances in this environment start with this network. Existing instances keep theirs.
        </Text>
        {mutationError && <ErrorPanel error={errorOf(mutationError)} />}
        <InputGroup
          formState={{
            environmentId: id,
            isMade: false,
            moduleInput: {},
            dependencies: new Map(),
            options: new Map(),
            faults,
          }}
          definitions={networkInputs}
          path=""
          given={values}
          resolved={{}}
          onChange={(given) => {
            onTouch(true)
            setValues(clearDependents(values, given))
          }}
        />
        <Group justify="flex-end" mt="xs">
          {network && (
            <RemoveButton
              permission="environments:write"
              label="Remove"
              name={`the network of ${name}`}
              change={remove}
            >
              New instances in this environment start without a network. Existing instances keep theirs.
            </RemoveButton>
          )}
          <PermissionButton permission="environments:write" type="submit" loading={update.isPending}>
            Save
          </PermissionButton>
        </Group>
      </Stack>
    </form>
  )
}
