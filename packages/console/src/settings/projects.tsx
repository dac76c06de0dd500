import { Group, Text } from '@mantine/core'
import type { Project } from '@sluice/contract'
import { client } from '../api/client.ts'
import { useChange } from '../api/use-change.ts'
import { useWhole } from '../api/use-pages.ts'
import { Answer } from '../ui/answer.tsx'
import { DetailsForm, detailsIn } from '../ui/details-form.tsx'
import { Notice } from '../ui/notice.tsx'
import { Rows } from '../ui/rows.tsx'
import { Section } from '../ui/section.tsx'

/** What environments, pipelines and stacks belong to. */
export const Projects = () => {
  const projects = useWhole('listProjects', {})
  return (
    <Section title="Projects">
      <Answer of={projects}>
        {(all) => (
          <Rows
            of={all}
            empty={
              <Notice title="There is no project yet">An admin creates one, through the interface at /docs.</Notice>
            }
          >
            {(project) => <Row project={project} />}
          </Rows>
        )}
      </Answer>
    </Section>
  )
}

const Row = ({ project }: { project: Project }) => {
  const { id, name, givenId, description } = project
  const update = useChange(
    (form: FormData) => client.updateProject({ params: { id }, body: { data: detailsIn(form) } }),
    ['listProjects'],
  )
  return (
    <Group justify="space-between" wrap="nowrap" py="sm">
      <div>
        <Text fw={600}>{name}</Text>
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {[givenId, description].filter(Boolean).join(' · ')}
        </Text>
      </div>
      <DetailsForm needs="projects:write" of={project} change={update} />
    </Group>
  )
}
