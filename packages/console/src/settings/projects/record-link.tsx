import { TextLink } from '../../ui/text-link.tsx'

/** Kinds of records that have a page each, by what the audit log calls them. */
const pages = {
  deployment: '/console/deployments/$id',
  'module-instance': '/console/instances/$id',
  pipeline: '/console/pipelines/$id',
  'pipeline-run': '/console/runs/$id',
} as const

const hasPage = (type: string): type is keyof typeof pages => type in pages

/** What a line of the log is about, as a link where there is a page about it. */
export const RecordLink = ({ type, id }: { type: string; id: string }) => {
  const name = type.replaceAll('-', ' ')
  if (!hasPage(type)) return name
  return (
    <TextLink to={pages[type]} params={{ id }} inherit underline="always">
      {name}
    </TextLink>
  )
}
