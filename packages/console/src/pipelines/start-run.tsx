import { Button, Group, Modal, Select, Stack, Textarea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { PipelineVersion } from '@sluice/contract'
import { useNavigate } from '@tanstack/react-router'
import { type SubmitEvent, useState } from 'react'
import { client } from '../api/client.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { PermissionButton } from '../ui/buttons/permission-button.tsx'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { IconPlayerPlay } from '../ui/icons.tsx'
import type { PipelineConfig } from './config.ts'
import { RunInputField } from './run-input-field.tsx'
import { inputProblem, inputsFromForm } from './run-inputs.ts'

type Props = { pipelineId: string; versions: readonly PipelineVersion[] }

/** Asks for the inputs of a version and starts a run. */
export const StartRun = ({ pipelineId, versions }: Props) => {
  const [isOpen, { open, close }] = useDisclosure(false)
  const [versionId, setVersionId] = useState<string>()
  const [faults, setFaults] = useState<Record<string, string>>({})
  const navigate = useNavigate()
  const start = useApiMutation(
    (data: Parameters<typeof client.createPipelineRun>[0]['body']['data']) =>
      client.createPipelineRun({ body: { data } }),
    ['listPipelineRuns', 'getPipeline', 'listPipelines'],
    ({ data }) => navigate({ to: '/console/runs/$id', params: { id: data.id } }),
  )
  const version = versions.find(({ id }) => id === versionId) ?? versions[0]
  if (!version) return null
  const declared = (version.config as PipelineConfig).inputs ?? []
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const given = inputsFromForm(declared, form)
    setFaults(given.faults)
    if (Object.keys(given.faults).length > 0) return
    const description = String(form.get('description') ?? '').trim()
    start.mutate({
      pipelineId,
      pipelineVersionId: version.id,
      inputs: given.inputs,
      ...(description !== '' && { description }),
    })
  }
  const mutationError = start.error && errorOf(start.error)
  return (
    <Group>
      <PermissionButton
        permission="pipeline-runs:write"
        command="runPipeline"
        leftSection={<IconPlayerPlay size={16} aria-hidden />}
        onClick={() => {
          start.reset()
          open()
        }}
      >
        Start run
      </PermissionButton>
      <Modal opened={isOpen} onClose={close} title="Start run" size="lg">
        <form onSubmit={submit} noValidate>
          <Stack gap="sm">
            {mutationError && <ErrorPanel error={mutationError} />}
            {versions.length > 1 && (
              <Select
                label="Version"
                allowDeselect={false}
                data={versions.map(({ id, version }, index) => ({
                  value: id,
                  label: index === 0 ? `${version} (latest)` : String(version),
                }))}
                value={version.id}
                onChange={(id) => setVersionId(id ?? undefined)}
              />
            )}
            {declared.map((input) => (
              <RunInputField
                key={`${version.id} ${input.id}`}
                input={input}
                fault={faults[input.id] ?? (mutationError ? inputProblem(mutationError, input.id) : undefined)}
              />
            ))}
            <Textarea name="description" label="Description" autosize maxLength={10_000} />
            <Group justify="flex-end" mt="xs">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" loading={start.isPending}>
                Run version {version.version}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </Group>
  )
}
