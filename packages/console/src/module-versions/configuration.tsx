import { Grid, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { ModuleDefinition, ModuleVersion } from '@sluice/contract'
import { useMemo, useState } from 'react'
import { client } from '../api/client.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { usePermission } from '../api/use-permission.ts'
import { CodeEditor } from '../config-editor/code-editor.tsx'
import { CommentsNotSavedNotice } from '../config-editor/comments-not-saved-notice.tsx'
import { formatConfig, hasComments, parseConfig } from '../config-editor/config-text.ts'
import { ProblemList } from '../config-editor/problem-list.tsx'
import { TextDiff } from '../config-editor/text-diff.tsx'
import { useSchema } from '../config-editor/use-schema.ts'
import { PermissionButton } from '../ui/buttons/permission-button.tsx'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { UnsavedChanges } from '../ui/forms/unsaved-changes.tsx'
import { IconUpload } from '../ui/icons.tsx'
import { Section } from '../ui/section.tsx'
import { nextVersion } from './next-version.ts'
import { UpgradeImpact } from './upgrade-impact.tsx'
import { useDryRun } from './use-dry-run.ts'

/** Initial configuration of a module without versions. */
const blank = `inputs:
  - { id: name, label: Name, type: string, required: true }
`

/** Delay after the last key press before the server validates. Milliseconds. */
const pauseMs = 400

type Props = { definition: ModuleDefinition; base: ModuleVersion | undefined; versions: readonly ModuleVersion[] }

/** Edits a module's configuration: validates and compares it while typing, and publishes it as a version. */
export default function Configuration({ definition, base, versions }: Props) {
  const [started, setStarted] = useState(base)
  const first = useMemo(() => (started ? formatConfig(started.config) : blank), [started])
  const [text, setText] = useState(first)
  const [version, setVersion] = useState(nextVersion(started?.version))
  const [description, setDescription] = useState('')
  const [written] = useDebouncedValue(text, pauseMs)
  const may = usePermission('module-definitions:write')
  const isOwn = definition.organizationId !== undefined
  const mayWrite = may.isAllowed && isOwn
  const read = useMemo(() => parseConfig(written), [written])
  const isFirst = started === undefined
  const isChanged = isFirst || written !== first
  const draft = { moduleDefinitionId: definition.id, version, text: written, config: read.config ?? {} }
  const verdict = useDryRun(mayWrite && isChanged && read.config ? draft : undefined)
  const faults = read.faults.length > 0 ? read.faults : (verdict.data?.faults ?? [])
  const isWell = text === written && isChanged && faults.length === 0 && verdict.isSuccess && !verdict.isFetching
  const publish = useApiMutation(
    () => {
      const data = { moduleDefinitionId: definition.id, version, description: description.trim(), config: draft.config }
      return client.createModuleVersion({ body: { data } })
    },
    ['listModuleVersions', 'listModuleDefinitions', 'getModuleDefinition'],
    ({ data }) => {
      if (!('id' in data)) return
      setStarted(data)
      setText(formatConfig(data.config)) // the editor now shows the published configuration
      setVersion(nextVersion(data.version))
      setDescription('')
    },
  )
  return (
    <Grid gap="lg" overflow="hidden">
      <UnsavedChanges are={mayWrite && text !== first && !publish.isPending} />
      <Grid.Col span={{ base: 12, lg: 8 }}>
        <Section
          title={started ? `Configuration, based on version ${started.version}` : 'Configuration, not published yet'}
        >
          <div role="status">{mayWrite && hasComments(written) && <CommentsNotSavedNotice />}</div>
          <CodeEditor
            key={started?.id}
            text={first}
            label="Configuration"
            isReadOnly={!mayWrite}
            faults={faults}
            schema={useSchema('module')}
            onChange={setText}
          />
          <Text size="xs" c="dimmed" mt="sm">
            {mayWrite
              ? 'YAML or JSON. Ctrl-Space completes, Ctrl-F searches, Escape then Tab leaves the editor.'
              : isOwn
                ? may.reason
                : 'Another organization publishes this module.'}
          </Text>
        </Section>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 4 }}>
        {mayWrite && (
          <Stack gap="lg">
            <Section title={faults.length > 0 ? 'Problems' : 'Publish'}>
              {faults.length > 0 ? (
                <ProblemList text={written} faults={faults} />
              ) : (
                <Stack gap="sm">
                  {isWell && verdict.data.warnings.length > 0 && (
                    <div role="status">
                      <ProblemList text={written} faults={verdict.data.warnings} />
                    </div>
                  )}
                  {(publish.error ?? verdict.error) && <ErrorPanel error={errorOf(publish.error ?? verdict.error)} />}
                  <TextInput
                    label="Version"
                    description="Semantic version. Published versions never change."
                    required
                    value={version}
                    onChange={(event) => setVersion(event.currentTarget.value)}
                  />
                  <Textarea
                    label="Release notes"
                    required
                    autosize
                    minRows={2}
                    value={description}
                    onChange={(event) => setDescription(event.currentTarget.value)}
                  />
                  <Group>
                    <PermissionButton
                      permission="module-definitions:write"
                      leftSection={<IconUpload size={16} aria-hidden />}
                      disabled={!isWell || description.trim() === ''}
                      loading={publish.isPending}
                      onClick={() => publish.mutate(undefined)}
                    >
                      Publish {version}
                    </PermissionButton>
                  </Group>
                  <Text size="sm" c="dimmed" role="status">
                    {isChanged
                      ? isWell && 'The dry run found no problems.'
                      : `No changes since version ${started?.version}.`}
                  </Text>
                </Stack>
              )}
            </Section>
            {started && isWell && <UpgradeImpact definition={definition} versions={versions} config={draft.config} />}
          </Stack>
        )}
      </Grid.Col>
      {started && isWell && (
        <Grid.Col span={12}>
          <Section title={`Changes since version ${started.version}`}>
            <TextDiff before={first} after={formatConfig(draft.config)} />
          </Section>
        </Grid.Col>
      )}
    </Grid>
  )
}
