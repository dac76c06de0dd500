import { Checkbox, Group, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import type { PreviewTemplate } from '@sluice/contract'
import { useContext, useState } from 'react'
import { client } from '../../api/client.ts'
import { Here } from '../../api/place.ts'
import { useChange } from '../../api/use-change.ts'
import { useMay } from '../../api/use-may.ts'
import { useWhole } from '../../api/use-pages.ts'
import { ManagedRow } from '../../files/managed-by-files.tsx'
import { Answer } from '../../ui/answer.tsx'
import { RemoveButton } from '../../ui/buttons/remove-button.tsx'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { Facts } from '../../ui/facts.tsx'
import { EditModal } from '../../ui/forms/edit-modal.tsx'
import { FormFaults } from '../../ui/forms/form-faults.ts'
import { FormModal, textOf } from '../../ui/forms/form-modal.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/section.tsx'
import { Rows } from '../../ui/tables/rows.tsx'
import { changeOf, linesOfList, templateIn, textOfObject } from './template-fields.ts'

const needs = 'preview-templates:write'
const shows = ['listPreviewTemplates'] as const

/** Which pull requests get environments of their own, and after which environment. */
export const PreviewTemplates = () => {
  const templates = useWhole('listPreviewTemplates', {})
  const { isAllowed, reason } = useMay(needs)
  return (
    <Section title="Templates of preview environments" aside={<NewTemplate />}>
      <Stack>
        {!isAllowed && reason !== '' && <Text size="sm">Others make, change and delete templates. {reason}</Text>}
        <Answer of={templates}>
          {(all) => (
            <Rows
              of={all}
              empty={
                <Notice title="Pull requests get no environments">
                  With a template, each pull request of a repository gets a copy of an environment until it is closed.
                </Notice>
              }
            >
              {(template) => <TemplateRow template={template} />}
            </Rows>
          )}
        </Answer>
      </Stack>
    </Section>
  )
}

const NewTemplate = () => {
  const create = useChange((form: FormData) => {
    const ids = {
      projectId: textOf(form, 'projectId'),
      environmentId: textOf(form, 'environmentId'),
      codeSourceId: textOf(form, 'codeSourceId'),
    }
    return client.createPreviewTemplate({ body: { data: { ...ids, ...templateIn(form) } } })
  }, shows)
  return (
    <FormModal
      needs={needs}
      label="Add a template"
      title="Add a template"
      submit="Add"
      change={create}
      button={{ size: 'xs' }}
    >
      <NewFields />
    </FormModal>
  )
}

const TemplateRow = ({ template }: { template: PreviewTemplate }) => {
  const { id, projectId, environmentId, codeSourceId, branches, lifetimeHours, mostInProject, writtenBy } = template
  const named = useNames()
  const update = useChange(
    (form: FormData) => client.updatePreviewTemplate({ params: { id }, body: { data: changeOf(templateIn(form)) } }),
    shows,
  )
  const remove = useChange(() => client.deletePreviewTemplate({ params: { id } }), shows)
  const name = `${named.source(codeSourceId)} → ${named.environment(environmentId)}`
  return (
    <Here value={{ projectId }}>
      <Stack gap="xs" py="sm" role="group" aria-label={name}>
        <Group justify="space-between" align="flex-start">
          <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          <Group gap="xs">
            <EditModal needs={needs} name={name} change={update}>
              <Fields of={template} projectId={projectId} />
            </EditModal>
            <RemoveButton needs={needs} label="Delete" name={name} change={remove}>
              Pull requests get no environments after it any more. It is refused while one of them is left.
            </RemoveButton>
          </Group>
        </Group>
        {remove.error && <ErrorPanel error={errorOf(remove.error)} />}
        <ManagedRow projectId={projectId} recordId={id} />
        <Facts
          facts={{
            Project: named.project(projectId),
            'Pull requests': `into ${branches?.join(', ') ?? 'any branch'}, ${template.allowsForks ? 'forks too' : 'no forks'}`,
            Pipeline: template.pipelineId === undefined ? 'None' : named.pipeline(template.pipelineId),
            'Kept for': `${lifetimeHours} hours after the latest push`,
            'At once': `${mostInProject} in the project at most`,
            'By the rights of': writtenBy,
          }}
        />
      </Stack>
    </Here>
  )
}

/** What people call the records that a template names. */
function useNames() {
  const projects = useWhole('listProjects', {}).data ?? []
  const environments = useWhole('listEnvironments', {}).data ?? []
  const pipelines = useWhole('listPipelines', {}).data ?? []
  const sources = useWhole('listCodeSources', {}).data ?? []
  const nameIn = (all: readonly { id: string; name: string }[]) => (id: string) =>
    all.find((one) => one.id === id)?.name ?? id
  return {
    project: nameIn(projects),
    environment: nameIn(environments),
    pipeline: nameIn(pipelines),
    source: (id: string) => sources.find((one) => one.id === id)?.repoName ?? id,
  }
}

const NewFields = () => {
  const faults = useContext(FormFaults)
  const [projectId, setProject] = useState<string | null>(null)
  const projects = useWhole('listProjects', {}).data ?? []
  const environments = useWhole('listEnvironments', {}).data ?? []
  const sources = useWhole('listCodeSources', {}).data ?? []
  return (
    <>
      <Select
        name="projectId"
        label="Project"
        data={projects.map(optionOf)}
        value={projectId}
        onChange={setProject}
        required
        data-autofocus
        error={faults.projectId}
      />
      <Select
        key={projectId}
        name="environmentId"
        label="Environment that is copied"
        data={environments.filter((one) => one.projectId === projectId).map(optionOf)}
        required
        error={faults.environmentId}
      />
      <Select
        name="codeSourceId"
        label="Repository of the pull requests"
        data={sources.map(({ id, repoName }) => ({ value: id, label: repoName }))}
        required
        error={faults.codeSourceId}
      />
      <Fields projectId={projectId} />
    </>
  )
}

const optionOf = ({ id, name }: { id: string; name: string }) => ({ value: id, label: name })

const Fields = ({ of, projectId }: { of?: PreviewTemplate; projectId: string | null }) => {
  const faults = useContext(FormFaults)
  const pipelines = useWhole('listPipelines', {}).data ?? []
  return (
    <>
      <Textarea
        name="branches"
        label="Only pull requests into these branches"
        description="Globs, a line each. Into any where there are none."
        placeholder="main"
        autosize
        defaultValue={linesOfList(of?.branches)}
        error={faults.branches}
      />
      <Textarea
        name="paths"
        label="Only those that change one of these files"
        description="Globs, a line each. Any where there are none."
        placeholder="services/web/**"
        autosize
        defaultValue={linesOfList(of?.paths)}
        error={faults.paths}
      />
      <Textarea
        name="instances"
        label="Only these module instances"
        description="Their given ids, a line each; what they refer to comes along. All where there are none."
        placeholder="web"
        autosize
        defaultValue={linesOfList(of?.instances)}
        error={faults.instances}
      />
      <Textarea
        name="inputs"
        label="What is another input in a copy"
        description="JSON, by the given id of the instance. It may have templates."
        placeholder={'{"web": {"tag": "<< pull_request.commit >>"}}'}
        autosize
        defaultValue={textOfObject(of?.inputs)}
        error={faults.inputs}
      />
      <Select
        key={projectId}
        name="pipelineId"
        label="Pipeline that runs once it stands"
        placeholder="None"
        data={pipelines.filter((one) => one.projectId === projectId).map(optionOf)}
        defaultValue={of?.pipelineId ?? null}
        clearable
        error={faults.pipelineId}
      />
      <Textarea
        name="pipelineInputs"
        label="What the pipeline is given"
        description="JSON. It may have templates."
        placeholder={'{"commit": "<< pull_request.commit >>"}'}
        autosize
        defaultValue={textOfObject(of?.pipelineInputs)}
        error={faults.pipelineInputs}
      />
      <TextInput
        name="namePattern"
        label="What the environments are called"
        required
        defaultValue={of?.namePattern ?? 'pr-{number}'}
        error={faults.namePattern}
      />
      <TextInput
        name="lifetimeHours"
        label="Hours that one is kept after the latest push"
        type="number"
        min={1}
        max={2160}
        required
        defaultValue={of?.lifetimeHours ?? 72}
        error={faults.lifetimeHours}
      />
      <TextInput
        name="mostInProject"
        label="Most in the project at once"
        type="number"
        min={1}
        max={100}
        required
        defaultValue={of?.mostInProject ?? 10}
        error={faults.mostInProject}
      />
      <Checkbox
        name="allowsForks"
        label="Pull requests from forks get one, too"
        description="Anybody can make one, and what is built of it runs with your secrets."
        defaultChecked={of?.allowsForks ?? false}
      />
    </>
  )
}
