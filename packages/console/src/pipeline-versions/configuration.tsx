import { Alert, Grid, Group, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { PipelineVersion } from '@sluice/contract'
import { useMemo, useState } from 'react'
import { client } from '../api/client.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { usePermission } from '../api/use-permission.ts'
import { CodeEditor } from '../config-editor/code-editor.tsx'
import { CommentsNotSavedNotice } from '../config-editor/comments-not-saved-notice.tsx'
import { formatConfig, hasComments, type Problem, parseConfig } from '../config-editor/config-text.ts'
import { ProblemList } from '../config-editor/problem-list.tsx'
import { useSchema } from '../config-editor/use-schema.ts'
import { PermissionButton } from '../ui/buttons/permission-button.tsx'
import { errorOf } from '../ui/error-panel.tsx'
import { UnsavedChanges } from '../ui/forms/unsaved-changes.tsx'
import { IconDeviceFloppy } from '../ui/icons.tsx'
import { Section } from '../ui/section.tsx'
import { PatchList } from './patch-list.tsx'
import { RejectedVersion } from './rejected-version.tsx'
import { useDryRun, type ValidationResult } from './use-dry-run.ts'

/** Initial configuration of a pipeline without versions. */
const blank = `steps:
  - id: hello
    type: command
    with:
      argv: [echo, Hello]
`

/** Delay after the last key press before the server validates. Milliseconds. */
const pauseMs = 400

type Props = { pipeline: { id: string; name: string }; base: PipelineVersion | undefined }

/** Edits a pipeline's configuration: validates and compares it while typing, and saves it as the next version. */
export default function Configuration({ pipeline, base }: Props) {
  const { id: pipelineId } = pipeline
  const [started, setStarted] = useState(base)
  const first = useMemo(() => (started ? formatConfig(started.config) : blank), [started])
  const [text, setText] = useState(first)
  const [written] = useDebouncedValue(text, pauseMs)
  const mayWrite = usePermission('pipelines:write')
  const read = useMemo(() => parseConfig(written), [written])
  const verdict = useDryRun(pipelineId, written, mayWrite.isAllowed ? read.config : undefined)
  const faults = faultsOf(read.faults, verdict.data)
  const save = useApiMutation(
    () => client.createPipelineVersion({ body: { data: { pipelineId, config: parseConfig(text).config ?? {} } } }),
    ['listPipelineVersions'],
    ({ data }) => {
      if (!('version' in data)) return
      setStarted(data)
      setText(formatConfig(data.config)) // the editor now shows the saved configuration
    },
  )
  const dryRun = verdict.data && 'dryRun' in verdict.data ? verdict.data.dryRun : undefined
  const isSettled = text === written && !verdict.isFetching
  const next = (dryRun?.baseVersion ?? base?.version ?? 0) + 1
  return (
    <Grid gap="lg" overflow="hidden">
      <UnsavedChanges are={mayWrite.isAllowed && text !== first && !save.isPending} />
      <Grid.Col span={{ base: 12, lg: 8 }}>
        <Section
          title={started ? `Configuration, based on version ${started.version}` : 'Configuration, not saved yet'}
          aside={
            <PermissionButton
              permission="pipelines:write"
              leftSection={<IconDeviceFloppy size={16} aria-hidden />}
              disabled={!isSettled || faults.length > 0 || !dryRun || dryRun.patch.length === 0}
              loading={save.isPending}
              onClick={() => save.mutate(undefined)}
            >
              Save as version {next}
            </PermissionButton>
          }
        >
          <Stack gap="sm">
            {save.error && <RejectedVersion error={errorOf(save.error)} pipeline={pipeline} />}
            <div>
              <div role="status">{mayWrite.isAllowed && hasComments(written) && <CommentsNotSavedNotice />}</div>
              <CodeEditor
                key={started?.id}
                text={first}
                label="Configuration"
                isReadOnly={!mayWrite.isAllowed}
                faults={faults}
                schema={useSchema('pipeline')}
                onChange={setText}
              />
            </div>
            <Text size="xs" c="dimmed">
              {mayWrite.isAllowed
                ? 'YAML or JSON. Ctrl-Space completes, Ctrl-F searches, Escape then Tab leaves the editor.'
                : mayWrite.reason}
            </Text>
          </Stack>
        </Section>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 4 }}>
        {mayWrite.isAllowed && (
          <Section title={faults.length > 0 ? 'Problems' : 'Changes'}>
            {verdict.error ? (
              <RejectedVersion error={errorOf(verdict.error)} pipeline={pipeline} />
            ) : (
              <Changes text={written} faults={faults} verdict={verdict.data} startedAt={started?.version} />
            )}
          </Section>
        )}
      </Grid.Col>
    </Grid>
  )
}

const faultsOf = (read: readonly Problem[], verdict: ValidationResult | undefined): readonly Problem[] =>
  read.length > 0 || !verdict || !('faults' in verdict) ? read : verdict.faults

type Shown = {
  text: string
  faults: readonly Problem[]
  verdict: ValidationResult | undefined
  startedAt: number | undefined
}

const Changes = ({ text, faults, verdict, startedAt }: Shown) => {
  if (faults.length > 0) return <ProblemList text={text} faults={faults} />
  if (!verdict || !('dryRun' in verdict)) return <Text c="dimmed">Checking the configuration…</Text>
  const { patch, baseVersion } = verdict.dryRun
  return (
    <Stack gap="sm" role="status" aria-label="Dry run">
      {startedAt !== baseVersion && baseVersion !== undefined && (
        <Alert color="orange" variant="light" title={`Version ${baseVersion} was saved in the meantime`}>
          Saving replaces it. Compare the two under Versions first.
        </Alert>
      )}
      {patch.length === 0 ? (
        <Text c="dimmed">No changes since version {baseVersion}.</Text>
      ) : (
        <>
          <Group gap={4}>
            <Text size="sm" c="dimmed">
              {baseVersion === undefined ? 'Everything is new.' : `Compared with version ${baseVersion}:`}
            </Text>
          </Group>
          <PatchList patch={patch} />
        </>
      )}
    </Stack>
  )
}
