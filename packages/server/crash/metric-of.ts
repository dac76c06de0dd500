/** Returns the value of a metric of a process, by its name and labels in the Prometheus format. */
export async function metricOf(url: string, token: string, line: string): Promise<number> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  const text = await response.text()
  const found = text.split('\n').find((one) => one.startsWith(`${line} `))
  if (found === undefined) throw new Error(`${url}/metrics has no ${line}; it answered ${response.status}`)
  return Number(found.slice(line.length + 1))
}
