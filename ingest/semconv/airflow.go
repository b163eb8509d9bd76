package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// airflowFamily: Apache Airflow (the execution API, and version 2.10).
var airflowFamily = family{
	rank: 146,
	rows: []row{
		{key: "airflow.dag_id", to: dagID}, // apache/airflow, execution API
		{key: "airflow.dag_run.run_id", to: dagRun},
		{key: "airflow.task_id", to: activityID, under: "task_run."},
		{key: "airflow.task_instance.map_index", to: mapIndex},
		{key: "dag_id", to: dagID, under: "task_run."},
		{key: "run_id", to: dagRun, under: "task_run."},
		{key: "task_id", to: activityID, under: "task_run."},
		{key: "airflow.task_id", to: step}, // apache/airflow
	},
	counters: []counterRow{
		{key: "airflow.task_instance.try_number", under: "task_run", meaning: trace.Ordinal, first: 1}, // apache/airflow
		{key: "try_number", under: "task_run", meaning: trace.Ordinal, first: 1},
	},
	outcomes: []outcomeRow{
		{key: "airflow.task_instance.state", value: "success", is: trace.OK}, // apache/airflow
		{key: "airflow.task_instance.state", value: "failed", is: trace.Failed},
		{key: "airflow.task_instance.state", value: "up_for_retry", is: trace.Failed},
	},
	scopes: []scopeRow{
		{prefix: "airflow", layer: trace.WorkflowLayer},
	},
	jobs: []string{
		"task_run.",
	},
}
